/** Texts of twenty languages, each with words that find it: without its accents, with others, in either case. */
export const WORDS_OF_LANGUAGES: readonly [language: string, title: string, ...words: string[]][] =
  [
    ['Turkish', 'İstanbul kiralık DİYARBAKIR', 'istanbul', 'Istanbul', 'ISTANBUL', 'diyarbakır'],
    ['Turkish, small', 'ılık diş', 'ILIK', 'ilik', 'DİŞ', 'dis'],
    ['Greek', 'Βορράς ΐ Άρης', 'ΒΟΡΡΑΣ', 'βορρας', 'βορράς', 'αρης'],
    ['German', 'GROẞE Straße Möbel', 'große', 'GROSSE', 'strasse', 'mobel', 'MÖBEL'],
    ['Vietnamese', 'Điện thoại cũ', 'dien', 'thoai', 'điện', 'CŨ', 'cu'],
    ['French', 'Crème brûlée, œuvre', 'creme', 'BRULEE', 'oeuvre', 'Œuvre'],
    ['Spanish', 'Año nuevo, piñata', 'ano', 'PIÑATA', 'pinata'],
    ['Portuguese', 'Coração São', 'coracao', 'SÃO', 'sao'],
    ['Polish', 'Łódź żółw', 'lodz', 'ŁÓDŹ', 'zolw'],
    ['Czech', 'Příliš žluťoučký kůň', 'prilis', 'ZLUTOUCKY', 'kun'],
    ['Danish', 'Smørrebrød på Ærø', 'smorrebrod', 'SMØRREBRØD', 'aero'],
    ['Icelandic', 'Þórður', 'thordur', 'ÞÓRÐUR'],
    ['Romanian', 'Țară și', 'tara', 'țară', 'SI'],
    ['Hungarian', 'Őszi fű', 'oszi', 'FŰ'],
    ['Russian', 'Ёлка чёрный', 'елка', 'ЧЕРНЫЙ', 'чёрный'],
    ['Ukrainian', 'Їжак', 'їжак', 'ЇЖАК'],
    ['Arabic', 'سَيَّارَة أحمد', 'سيارة', 'احمد'],
    ['Hebrew', 'שָׁלוֹם', 'שלום'],
    ['Japanese', 'ガラス', 'ｶﾞﾗｽ'],
    ['Hindi', 'किताब', 'किताब'],
  ];
