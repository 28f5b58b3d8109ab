extension FilterValue {
  init(_ literal: FilterLiteral) {
    switch literal {
    case .null: self = .missing
    case .bool(let value): self = .bool(value)
    case .number(let number), .fraction(let number): self = .number(FilterNumber(number))
    case .decimal(let value): self = .number(FilterNumber(value))
    case .notANumber: self = .number(.real(.nan))
    case .double(let value): self = .number(.real(value))
    case .text(let text): self = .text(text)
    case .data(let data): self = .data(data)
    case .date(let date): self = .date(date.date)
    case .uuid(let uuid): self = .uuid(uuid)
    case .objectID(let id): self = .value(Constant(id))
    case .object(_, let id): self = FilterValue(id)
    case .value(let value): self = value.filterValue
    }
  }
}
