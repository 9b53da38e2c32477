/** Our own drawings of goods. */
const THINGS = {
  bicycle: `<circle cx="100" cy="210" r="60" fill="none" stroke="#222" stroke-width="8"/><circle cx="300" cy="210" r="60" fill="none" stroke="#222" stroke-width="8"/>
    <path d="M100 210 160 120h110l30 90M160 120l50 90h-110m110 0 60-90M145 100h40M270 120l-8-30h30" fill="none" stroke="#b3261e" stroke-width="9" stroke-linejoin="round" stroke-linecap="round"/>`,
  house: `<path d="M60 160 200 60l140 100v110H60z" fill="#d8b384"/><path d="M45 165 200 52l155 113" fill="none" stroke="#8a3b22" stroke-width="16"/>
    <path d="M175 270v-65h50v65z" fill="#5b3a21"/><path d="M90 180h50v40H90zm170 0h50v40h-50z" fill="#9fd0ee"/>`,
  piano: `<path d="M70 90h260v160H70z" fill="#2b1d14"/><path d="M80 180h240v50H80z" fill="#fff"/>
    <path d="M110 180v30m30-30v30m50-30v30m30-30v30m30-30v30m40-30v30" stroke="#111" stroke-width="14"/>`,
  sofa: `<rect x="60" y="130" width="280" height="90" rx="24" fill="#3f6f5b"/><rect x="40" y="160" width="60" height="80" rx="20" fill="#345c4b"/><rect x="300" y="160" width="60" height="80" rx="20" fill="#345c4b"/><rect x="95" y="185" width="210" height="45" rx="12" fill="#4f8770"/>`,
  camera: `<rect x="70" y="100" width="260" height="150" rx="18" fill="#30343b"/><path d="M140 100l15-28h90l15 28z" fill="#30343b"/><circle cx="200" cy="175" r="56" fill="#111"/><circle cx="200" cy="175" r="38" fill="#3a6ea5"/><circle cx="185" cy="160" r="10" fill="#cfe5ff"/>`,
} as const;

export type Thing = keyof typeof THINGS;

/**
 * Draws goods as JPEG.
 * @param tint the hue of the background, 0 to 360.
 */
export async function drawing(thing: Thing, tint: number): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="800" height="600">
    <rect width="400" height="300" fill="hsl(${tint} 45% 86%)"/><ellipse cx="200" cy="272" rx="170" ry="14" fill="hsl(${tint} 25% 70%)"/>${THINGS[thing]}</svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toBuffer();
}
