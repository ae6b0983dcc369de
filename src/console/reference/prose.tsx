// Descriptions of the contracts: the little of Markdown that is in them (paragraphs, lists, `code`, **bold**).

import type { ComponentChildren } from 'preact'

const inline = (text: string): ComponentChildren =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece) => {
    if (piece.startsWith('`') && piece.length > 1) return <code>{piece.slice(1, -1)}</code>
    if (piece.startsWith('**') && piece.length > 3) return <strong>{piece.slice(2, -2)}</strong>
    return piece
  })

export const Inline = ({ text }: { readonly text: string }) => <>{inline(text)}</>

export const Prose = ({ text, kind = '' }: { readonly text: string | undefined; readonly kind?: string }) =>
  text === undefined || text === '' ? null : (
    <>
      {text.split('\n\n').map((block) =>
        block.startsWith('- ') ? (
          <ul class={kind}>
            {block.split(/\n(?=- )/).map((entry) => (
              <li>{inline(entry.slice(2))}</li>
            ))}
          </ul>
        ) : (
          <p class={kind}>{inline(block)}</p>
        ),
      )}
    </>
  )
