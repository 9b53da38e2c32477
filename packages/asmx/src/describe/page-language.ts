/** A further language of the pages. */
export interface PageLanguage {
  /** Of the link to it, in itself: `中文`. */
  readonly name: string;
  /**
   * Its texts, by the English ones of pages (`PageWord`), of the contract and of `pageLinks`. What
   * has none here is in English, and so is all that ASP.NET's pages say.
   */
  readonly texts: Readonly<Record<string, string>>;
}

/** Further languages of the pages, by their tags (BCP 47). */
export type PageLanguages = Readonly<Record<string, PageLanguage>>;

/** In what language a page is. */
export interface Reader {
  readonly tag: string;
  /** Whether the address of the page says it; then its links do. */
  readonly isChosen: boolean;
  readonly languages: PageLanguages;
}
