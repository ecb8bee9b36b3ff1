// Reads what src/export/page writes: base64 of deflated columns of integers.

/** Bytes of the element with that id, inflated. */
export async function section(id) {
  const element = document.getElementById(id);
  const text = element.textContent;
  element.remove();
  const pieces = [];
  // A multiple of four characters decodes by itself.
  const size = 1 << 22;
  for (let at = 0; at < text.length; at += size) {
    const raw = atob(text.slice(at, at + size));
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    pieces.push(bytes);
  }
  const stream = new Blob(pieces).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Columns of integers, one after the other. */
export class Columns {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** The next column, of n integers: one plane for each byte of them, zigzag folded. */
  next(n) {
    const planes = this.bytes[this.at++];
    const found = new Int32Array(n);
    for (let plane = 0; plane < planes; plane++) {
      const shift = 8 * plane;
      for (let i = 0; i < n; i++) found[i] |= this.bytes[this.at + i] << shift;
      this.at += n;
    }
    for (let i = 0; i < n; i++) found[i] = (found[i] >>> 1) ^ -(found[i] & 1);
    return found;
  }
}

/** Undoes the prediction on a straight line, in place, of series of that length. */
export function addLine(column, length) {
  for (let start = 0; start < column.length; start += length) {
    let last = 0;
    let rise = 0;
    for (let i = start; i < start + length; i++) {
      const value = (column[i] + last + rise) | 0;
      rise = (value - last) | 0;
      last = column[i] = value;
    }
  }
  return column;
}

/** Undoes the prediction by the value before, in place, of series of that length. */
export function addLast(column, length) {
  for (let start = 0; start < column.length; start += length) {
    for (let i = start + 1; i < start + length; i++) column[i] = (column[i] + column[i - 1]) | 0;
  }
  return column;
}

const bits = new Uint32Array(1);
const real = new Float32Array(bits.buffer);

/** The number whose magnitude has the bits of the integer above `dropped` bits that were left out. */
export function float(integer, dropped) {
  bits[0] = Math.abs(integer) << dropped;
  return integer < 0 ? -real[0] : real[0];
}
