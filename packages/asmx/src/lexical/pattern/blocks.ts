/**
 * The blocks of Unicode 14 without those of surrogates, from its file Blocks.txt: the name without
 * blanks, the first and the last code point without its last hexadecimal digit.
 */
const BLOCKS = `
BasicLatin:0-7 Latin-1Supplement:8-f LatinExtended-A:10-17 LatinExtended-B:18-24
IPAExtensions:25-2a SpacingModifierLetters:2b-2f CombiningDiacriticalMarks:30-36
GreekandCoptic:37-3f Cyrillic:40-4f CyrillicSupplement:50-52 Armenian:53-58 Hebrew:59-5f
Arabic:60-6f Syriac:70-74 ArabicSupplement:75-77 Thaana:78-7b NKo:7c-7f Samaritan:80-83
Mandaic:84-85 SyriacSupplement:86-86 ArabicExtended-B:87-89 ArabicExtended-A:8a-8f
Devanagari:90-97 Bengali:98-9f Gurmukhi:a0-a7 Gujarati:a8-af Oriya:b0-b7 Tamil:b8-bf Telugu:c0-c7
Kannada:c8-cf Malayalam:d0-d7 Sinhala:d8-df Thai:e0-e7 Lao:e8-ef Tibetan:f0-ff Myanmar:100-109
Georgian:10a-10f HangulJamo:110-11f Ethiopic:120-137 EthiopicSupplement:138-139 Cherokee:13a-13f
UnifiedCanadianAboriginalSyllabics:140-167 Ogham:168-169 Runic:16a-16f Tagalog:170-171
Hanunoo:172-173 Buhid:174-175 Tagbanwa:176-177 Khmer:178-17f Mongolian:180-18a
UnifiedCanadianAboriginalSyllabicsExtended:18b-18f Limbu:190-194 TaiLe:195-197 NewTaiLue:198-19d
KhmerSymbols:19e-19f Buginese:1a0-1a1 TaiTham:1a2-1aa CombiningDiacriticalMarksExtended:1ab-1af
Balinese:1b0-1b7 Sundanese:1b8-1bb Batak:1bc-1bf Lepcha:1c0-1c4 OlChiki:1c5-1c7
CyrillicExtended-C:1c8-1c8 GeorgianExtended:1c9-1cb SundaneseSupplement:1cc-1cc
VedicExtensions:1cd-1cf PhoneticExtensions:1d0-1d7 PhoneticExtensionsSupplement:1d8-1db
CombiningDiacriticalMarksSupplement:1dc-1df LatinExtendedAdditional:1e0-1ef GreekExtended:1f0-1ff
GeneralPunctuation:200-206 SuperscriptsandSubscripts:207-209 CurrencySymbols:20a-20c
CombiningDiacriticalMarksforSymbols:20d-20f LetterlikeSymbols:210-214 NumberForms:215-218
Arrows:219-21f MathematicalOperators:220-22f MiscellaneousTechnical:230-23f
ControlPictures:240-243 OpticalCharacterRecognition:244-245 EnclosedAlphanumerics:246-24f
BoxDrawing:250-257 BlockElements:258-259 GeometricShapes:25a-25f MiscellaneousSymbols:260-26f
Dingbats:270-27b MiscellaneousMathematicalSymbols-A:27c-27e SupplementalArrows-A:27f-27f
BraillePatterns:280-28f SupplementalArrows-B:290-297 MiscellaneousMathematicalSymbols-B:298-29f
SupplementalMathematicalOperators:2a0-2af MiscellaneousSymbolsandArrows:2b0-2bf Glagolitic:2c0-2c5
LatinExtended-C:2c6-2c7 Coptic:2c8-2cf GeorgianSupplement:2d0-2d2 Tifinagh:2d3-2d7
EthiopicExtended:2d8-2dd CyrillicExtended-A:2de-2df SupplementalPunctuation:2e0-2e7
CJKRadicalsSupplement:2e8-2ef KangxiRadicals:2f0-2fd IdeographicDescriptionCharacters:2ff-2ff
CJKSymbolsandPunctuation:300-303 Hiragana:304-309 Katakana:30a-30f Bopomofo:310-312
HangulCompatibilityJamo:313-318 Kanbun:319-319 BopomofoExtended:31a-31b CJKStrokes:31c-31e
KatakanaPhoneticExtensions:31f-31f EnclosedCJKLettersandMonths:320-32f CJKCompatibility:330-33f
CJKUnifiedIdeographsExtensionA:340-4db YijingHexagramSymbols:4dc-4df CJKUnifiedIdeographs:4e0-9ff
YiSyllables:a00-a48 YiRadicals:a49-a4c Lisu:a4d-a4f Vai:a50-a63 CyrillicExtended-B:a64-a69
Bamum:a6a-a6f ModifierToneLetters:a70-a71 LatinExtended-D:a72-a7f SylotiNagri:a80-a82
CommonIndicNumberForms:a83-a83 Phags-pa:a84-a87 Saurashtra:a88-a8d DevanagariExtended:a8e-a8f
KayahLi:a90-a92 Rejang:a93-a95 HangulJamoExtended-A:a96-a97 Javanese:a98-a9d
MyanmarExtended-B:a9e-a9f Cham:aa0-aa5 MyanmarExtended-A:aa6-aa7 TaiViet:aa8-aad
MeeteiMayekExtensions:aae-aaf EthiopicExtended-A:ab0-ab2 LatinExtended-E:ab3-ab6
CherokeeSupplement:ab7-abb MeeteiMayek:abc-abf HangulSyllables:ac0-d7a
HangulJamoExtended-B:d7b-d7f PrivateUseArea:e00-f8f CJKCompatibilityIdeographs:f90-faf
AlphabeticPresentationForms:fb0-fb4 ArabicPresentationForms-A:fb5-fdf VariationSelectors:fe0-fe0
VerticalForms:fe1-fe1 CombiningHalfMarks:fe2-fe2 CJKCompatibilityForms:fe3-fe4
SmallFormVariants:fe5-fe6 ArabicPresentationForms-B:fe7-fef HalfwidthandFullwidthForms:ff0-ffe
Specials:fff-fff LinearBSyllabary:1000-1007 LinearBIdeograms:1008-100f AegeanNumbers:1010-1013
AncientGreekNumbers:1014-1018 AncientSymbols:1019-101c PhaistosDisc:101d-101f Lycian:1028-1029
Carian:102a-102d CopticEpactNumbers:102e-102f OldItalic:1030-1032 Gothic:1033-1034
OldPermic:1035-1037 Ugaritic:1038-1039 OldPersian:103a-103d Deseret:1040-1044 Shavian:1045-1047
Osmanya:1048-104a Osage:104b-104f Elbasan:1050-1052 CaucasianAlbanian:1053-1056 Vithkuqi:1057-105b
LinearA:1060-1077 LatinExtended-F:1078-107b CypriotSyllabary:1080-1083 ImperialAramaic:1084-1085
Palmyrene:1086-1087 Nabataean:1088-108a Hatran:108e-108f Phoenician:1090-1091 Lydian:1092-1093
MeroiticHieroglyphs:1098-1099 MeroiticCursive:109a-109f Kharoshthi:10a0-10a5
OldSouthArabian:10a6-10a7 OldNorthArabian:10a8-10a9 Manichaean:10ac-10af Avestan:10b0-10b3
InscriptionalParthian:10b4-10b5 InscriptionalPahlavi:10b6-10b7 PsalterPahlavi:10b8-10ba
OldTurkic:10c0-10c4 OldHungarian:10c8-10cf HanifiRohingya:10d0-10d3 RumiNumeralSymbols:10e6-10e7
Yezidi:10e8-10eb OldSogdian:10f0-10f2 Sogdian:10f3-10f6 OldUyghur:10f7-10fa Chorasmian:10fb-10fd
Elymaic:10fe-10ff Brahmi:1100-1107 Kaithi:1108-110c SoraSompeng:110d-110f Chakma:1110-1114
Mahajani:1115-1117 Sharada:1118-111d SinhalaArchaicNumbers:111e-111f Khojki:1120-1124
Multani:1128-112a Khudawadi:112b-112f Grantha:1130-1137 Newa:1140-1147 Tirhuta:1148-114d
Siddham:1158-115f Modi:1160-1165 MongolianSupplement:1166-1167 Takri:1168-116c Ahom:1170-1174
Dogra:1180-1184 WarangCiti:118a-118f DivesAkuru:1190-1195 Nandinagari:119a-119f
ZanabazarSquare:11a0-11a4 Soyombo:11a5-11aa UnifiedCanadianAboriginalSyllabicsExtended-A:11ab-11ab
PauCinHau:11ac-11af Bhaiksuki:11c0-11c6 Marchen:11c7-11cb MasaramGondi:11d0-11d5
GunjalaGondi:11d6-11da Makasar:11ee-11ef LisuSupplement:11fb-11fb TamilSupplement:11fc-11ff
Cuneiform:1200-123f CuneiformNumbersandPunctuation:1240-1247 EarlyDynasticCuneiform:1248-1254
Cypro-Minoan:12f9-12ff EgyptianHieroglyphs:1300-1342 EgyptianHieroglyphFormatControls:1343-1343
AnatolianHieroglyphs:1440-1467 BamumSupplement:1680-16a3 Mro:16a4-16a6 Tangsa:16a7-16ac
BassaVah:16ad-16af PahawhHmong:16b0-16b8 Medefaidrin:16e4-16e9 Miao:16f0-16f9
IdeographicSymbolsandPunctuation:16fe-16ff Tangut:1700-187f TangutComponents:1880-18af
KhitanSmallScript:18b0-18cf TangutSupplement:18d0-18d7 KanaExtended-B:1aff-1aff
KanaSupplement:1b00-1b0f KanaExtended-A:1b10-1b12 SmallKanaExtension:1b13-1b16 Nushu:1b17-1b2f
Duployan:1bc0-1bc9 ShorthandFormatControls:1bca-1bca ZnamennyMusicalNotation:1cf0-1cfc
ByzantineMusicalSymbols:1d00-1d0f MusicalSymbols:1d10-1d1f AncientGreekMusicalNotation:1d20-1d24
MayanNumerals:1d2e-1d2f TaiXuanJingSymbols:1d30-1d35 CountingRodNumerals:1d36-1d37
MathematicalAlphanumericSymbols:1d40-1d7f SuttonSignWriting:1d80-1daa LatinExtended-G:1df0-1dff
GlagoliticSupplement:1e00-1e02 NyiakengPuachueHmong:1e10-1e14 Toto:1e29-1e2b Wancho:1e2c-1e2f
EthiopicExtended-B:1e7e-1e7f MendeKikakui:1e80-1e8d Adlam:1e90-1e95 IndicSiyaqNumbers:1ec7-1ecb
OttomanSiyaqNumbers:1ed0-1ed4 ArabicMathematicalAlphabeticSymbols:1ee0-1eef MahjongTiles:1f00-1f02
DominoTiles:1f03-1f09 PlayingCards:1f0a-1f0f EnclosedAlphanumericSupplement:1f10-1f1f
EnclosedIdeographicSupplement:1f20-1f2f MiscellaneousSymbolsandPictographs:1f30-1f5f
Emoticons:1f60-1f64 OrnamentalDingbats:1f65-1f67 TransportandMapSymbols:1f68-1f6f
AlchemicalSymbols:1f70-1f77 GeometricShapesExtended:1f78-1f7f SupplementalArrows-C:1f80-1f8f
SupplementalSymbolsandPictographs:1f90-1f9f ChessSymbols:1fa0-1fa6
SymbolsandPictographsExtended-A:1fa7-1faf SymbolsforLegacyComputing:1fb0-1fbf
CJKUnifiedIdeographsExtensionB:2000-2a6d CJKUnifiedIdeographsExtensionC:2a70-2b73
CJKUnifiedIdeographsExtensionD:2b74-2b81 CJKUnifiedIdeographsExtensionE:2b82-2cea
CJKUnifiedIdeographsExtensionF:2ceb-2ebe CJKCompatibilityIdeographsSupplement:2f80-2fa1
CJKUnifiedIdeographsExtensionG:3000-3134 Tags:e000-e007 VariationSelectorsSupplement:e010-e01e
SupplementaryPrivateUseArea-A:f000-ffff SupplementaryPrivateUseArea-B:10000-10fff
`;

/**
 * Names that XML Schema (part 2, first and second edition, F.1.1) and .NET have for blocks that
 * Unicode renamed since.
 */
const OLD_NAMES: Readonly<Record<string, string>> = {
  Greek: 'GreekandCoptic',
  CombiningMarksforSymbols: 'CombiningDiacriticalMarksforSymbols',
  PrivateUse: 'PrivateUseArea',
};

/**
 * @param name as behind `\\p{Is`, like `BasicLatin`.
 * @returns `undefined` for a block that Unicode has not.
 */
export function blockOf(name: string): readonly [first: number, last: number] | undefined {
  const known = OLD_NAMES[name] ?? name;
  for (const block of BLOCKS.trim().split(/\s/)) {
    const [own, range = ''] = block.split(':');
    if (own !== known) continue;
    const [first = '', last = ''] = range.split('-');
    return [Number.parseInt(`${first}0`, 16), Number.parseInt(`${last}f`, 16)];
  }
  return undefined;
}
