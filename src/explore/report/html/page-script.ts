/** The script of the page: filters, keys in the grid, the explanation of a cell, copying. The page reads without it. */

export const pageScript = /* js */ `
const all = (selector, within = document) => [...within.querySelectorAll(selector)]
const byId = (id) => document.getElementById(id)
const detail = byId('detail')

function filter(inputs, items, count) {
  const apply = () => {
    const [input, only] = inputs.map(byId)
    const words = input.value.toLowerCase().split(/\\s+/)
    let shown = 0
    for (const item of items) {
      const text = (item.dataset.text + ' ' + (only ? item.textContent : '')).toLowerCase()
      const fits = words.every((word) => text.includes(word)) && !(only && only.checked && !('failed' in item.dataset))
      item.hidden = !fits
      if (fits) shown++
    }
    byId(count).textContent = shown === items.length ? '' : shown + ' of ' + items.length
  }
  for (const id of inputs) if (byId(id)) byId(id).addEventListener('input', apply)
}
if (byId('filter-failures')) filter(['filter-failures'], all('.failure'), 'count-failures')
if (byId('filter-steps')) filter(['filter-steps', 'only-failed'], all('.step'), 'count-steps')

function reveal() {
  const target = byId(decodeURIComponent(location.hash.slice(1)))
  if (!target || !target.matches('details')) return
  target.hidden = false
  target.open = true
  target.scrollIntoView()
}
addEventListener('hashchange', reveal)
reveal()

function element(name, text, attributes = {}) {
  const made = Object.assign(document.createElement(name), attributes)
  made.textContent = text
  return made
}

let chosen
function explain(button) {
  if (chosen) chosen.removeAttribute('aria-current')
  chosen = button
  button.setAttribute('aria-current', 'true')
  const { id, fault, link } = button.dataset
  const close = element('button', 'Close', { type: 'button', onclick: hide })
  const command = element('code', "coxswain explore MODULE --only '" + id.replaceAll("'", "'\\\\''") + "'")
  const result = element('b', link ? '\\u2717 failed' : '\\u2713 same end', { className: link ? 'bad' : 'good' })
  const head = element('div', '', { className: 'head' })
  head.append(element('b', id), ' ', result, ' ', close)
  const body = [element('p', fault), command]
  if (link) body.push(element('a', 'Show the failure', { href: '#' + link }))
  detail.replaceChildren(head, ...body)
  detail.hidden = false
}
function hide() {
  detail.hidden = true
  if (chosen) {
    chosen.removeAttribute('aria-current')
    chosen.focus()
  }
}

// A grid is one tab stop; arrow keys move within it.
const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }
for (const grid of all('table.grid')) {
  const first = grid.querySelector('button')
  if (first) first.tabIndex = 0
  grid.addEventListener('click', ({ target }) => target.closest('button') && explain(target.closest('button')))
  grid.addEventListener('keydown', (event) => {
    const [down, right] = steps[event.key] || []
    const from = event.target.closest('td')
    if (down === undefined || !from) return
    event.preventDefault()
    let row = from.parentElement.rowIndex
    let column = from.cellIndex
    for (;;) {
      row += down
      column += right
      const cell = grid.rows[row] && grid.rows[row].cells[column]
      if (!cell || row < 1) return
      const button = cell.querySelector('button')
      if (!button) continue
      event.target.tabIndex = -1
      button.tabIndex = 0
      button.focus()
      return
    }
  })
}
addEventListener('keydown', ({ key }) => key === 'Escape' && !detail.hidden && hide())

for (const button of all('.copy'))
  button.addEventListener('click', async () => {
    const code = button.previousElementSibling
    try {
      await navigator.clipboard.writeText(code.textContent)
      button.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(code)
      button.textContent = 'Selected'
    }
  })
`

/** For the content security policy; a test computes it. */
export const pageScriptHash = 'sha256-wed8x5CYbje95imHBTavOF3WNcf4okuerGcg/J/y22g='
