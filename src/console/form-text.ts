// What somebody has typed into a form.

/** The text of a field; empty: none, or a file. */
export const formText = (data: FormData, name: string): string => {
  const value = data.get(name)
  return typeof value === 'string' ? value : ''
}
