/** "Did you mean": finds the name behind a typo, a missing ending or another word separation. */

/** The known name that is most similar to `name`; undefined if none is similar. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name)
  const ranked = known
    .map((each) => ({
      each,
      distance: distance(wanted, plain(each)),
      begins: wanted.length > 3 && plain(each).startsWith(wanted),
    }))
    .filter((one) => one.begins || one.distance <= Math.max(1, Math.floor(wanted.length / 4)))
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.each
}

function plain(text: string): string {
  return text.replaceAll(/[-_.\s]/g, '').toLowerCase()
}

/** The number of letters to insert, drop, replace or swap with their neighbour. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    const above = rows[i - 1] as number[]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, (above[j - 1] as number) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, ((rows[i - 2] as number[])[j - 2] as number) + 1)
      row.push(least)
    }
    rows.push(row)
  }
  return (rows[a.length] as number[])[b.length] as number
}
