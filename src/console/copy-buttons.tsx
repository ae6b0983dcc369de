// Buttons that copy blocks of code, on pages that the server has written.

import { render } from 'preact'
import { CopyButton } from './widgets.tsx'

export const addCopyButtons = (): void => {
  for (const block of document.querySelectorAll('main pre')) {
    // What the browser has drawn has its own.
    if (block.closest('.code') !== null) continue
    const frame = document.createElement('div')
    frame.className = 'code'
    block.before(frame)
    const place = document.createElement('div')
    place.className = 'copy'
    frame.append(place, block)
    render(<CopyButton text={(block.textContent ?? '').replace(/\n$/, '')} />, place)
  }
}
