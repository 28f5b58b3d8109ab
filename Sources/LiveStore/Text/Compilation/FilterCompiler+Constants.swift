// A number that is an argument has a type, which arithmetic depends on. Where the type makes no difference, the number
// stands in the filter as a text writes it, so that filters that say the same are equal.

extension FilterCompiler {
  /// The comparison with numbers as a text writes them, where that says the same.
  func withPlainConstants(_ comparison: FilterSyntax.Comparison) -> FilterSyntax.Comparison {
    .init(
      left: withPlainConstants(comparison.left), relation: comparison.relation, options: comparison.options,
      right: withPlainConstants(comparison.right), column: comparison.column)
  }

  private func withPlainConstants(_ operand: FilterSyntax.Operand) -> FilterSyntax.Operand {
    switch operand {
    case .quantified(let quantifier, let inner, let column):
      return .quantified(quantifier, withPlainConstants(inner), column: column)
    case .arithmetic(let operation, let left, let right, let column):
      let (left, right) = withPlainConstants(left, right)
      return .arithmetic(operation, left, right, column: column)
    case .function(let name, let operands, let column):
      if let number = FilterLiteral(name, operands) { return .literal(number, column: column) }
      guard name == "ifnull", operands.count == 2 else {
        return .function(name, operands.map { withPlainConstants($0) }, column: column)
      }
      let (value, other) = withPlainConstants(operands[0], operands[1])
      return .function(name, [value, other], column: column)
    default: return operand
    }
  }

  private func withPlainConstants(
    _ left: FilterSyntax.Operand, _ right: FilterSyntax.Operand
  ) -> (FilterSyntax.Operand, FilterSyntax.Operand) {
    let first = plain(withPlainConstants(left), beside: right)
    let second = plain(withPlainConstants(right), beside: first)
    // Of two constants the first may need no type any more.
    return (plain(first, beside: second), second)
  }

  /// A number as a text writes it, if that is computed as the same kind beside another operand.
  private func plain(
    _ operand: FilterSyntax.Operand, beside other: FilterSyntax.Operand
  ) -> FilterSyntax.Operand {
    guard case .literal(let literal, let column) = operand, literal != literal.untyped else { return operand }
    var compiler = self
    compiler.isOfTypes = true
    let numbers = (try? compiler.side(other))?.numbers
    let isSame = NumberKind.joined(literal.numbers, numbers) == .joined(literal.untyped.numbers, numbers)
    return isSame ? .literal(literal.untyped, column: column) : operand
  }
}
