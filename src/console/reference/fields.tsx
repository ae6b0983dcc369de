// The fields of a body, of headers or of parameters: name, type, values and meaning.

import { type Field, fieldsOf, type Schema } from './contract.ts'
import { Prose } from './prose.tsx'

/** More values than these are shown on request. */
const VALUES_SHOWN = 8

const Values = ({ values }: { readonly values: readonly string[] }) => {
  const list = values.map((value, place) => (
    <>
      {place === 0 ? null : ' '}
      <code>{value}</code>
    </>
  ))
  if (values.length <= VALUES_SHOWN) return <p class="soft">One of {list}</p>
  return (
    <details>
      <summary class="soft">One of {values.length} values</summary>
      <p>{list}</p>
    </details>
  )
}

export const FieldList = ({ fields }: { readonly fields: readonly Field[] }) => (
  <dl class="schema">
    {fields.map(({ path, type, isRequired, description, values }) => (
      <div>
        <dt>
          <code>{path}</code> <span class="soft">{type}</span>
          {isRequired ? null : <span class="soft"> · optional</span>}
        </dt>
        <dd>
          <Prose text={description} />
          {values.length === 0 ? null : <Values values={values} />}
        </dd>
      </div>
    ))}
  </dl>
)

/** Closed until somebody wants to see it. */
export const Fields = ({
  title,
  document,
  schema,
}: {
  readonly title: string
  readonly document: object
  readonly schema: Schema | undefined
}) => {
  const fields = schema === undefined ? [] : fieldsOf(document, schema)
  if (fields.length === 0) return null
  return (
    <details class="part">
      <summary>
        {title} <span class="soft">({fields.length})</span>
      </summary>
      <FieldList fields={fields} />
    </details>
  )
}
