// A number that is an argument has a type, which arithmetic depends on. Where the type makes no difference, the number
// stands in the filter as a text writes it, so that filters that say the same are equal.

extension FilterCompiler {
  /// The comparison with numbers as a text writes them, where that says the same.
  func withPlainConstants(_ comparison: FilterSyntax.Comparison) -> FilterSyntax.Comparison {
    comparison.rewritten(by: PlainConstants(compiler: self))
  }
}

private struct PlainConstants<Element: Entity>: FilterRewriter {
  let compiler: FilterCompiler<Element>

  func replacement(of operand: FilterSyntax.Operand) -> FilterSyntax.Operand? {
    switch operand {
    case .arithmetic(let operation, let left, let right, let column):
      let (left, right) = plain(left, right)
      return .arithmetic(operation, left, right, column: column)
    case .function(let name, let operands, let column):
      if let number = FilterLiteral(name, operands) { return .literal(number, column: column) }
      guard name == "ifnull", operands.count == 2 else { return nil }
      let (value, other) = plain(operands[0], operands[1])
      return .function(name, [value, other], column: column)
    case .subquery: return operand
    default: return nil
    }
  }

  func path(_ path: FilterPath, _: Int) -> FilterPath { path }

  func inside(_ variable: String) -> (rewriter: PlainConstants, variable: String) { (self, variable) }

  private func plain(
    _ left: FilterSyntax.Operand, _ right: FilterSyntax.Operand
  ) -> (FilterSyntax.Operand, FilterSyntax.Operand) {
    let first = plain(left.rewritten(by: self), beside: right)
    let second = plain(right.rewritten(by: self), beside: first)
    // Of two constants the first may need no type any more.
    return (plain(first, beside: second), second)
  }

  /// A number as a text writes it, if that is computed as the same kind beside another operand.
  private func plain(
    _ operand: FilterSyntax.Operand, beside other: FilterSyntax.Operand
  ) -> FilterSyntax.Operand {
    guard case .literal(let literal, let column) = operand, literal != literal.untyped else { return operand }
    var compiler = compiler
    compiler.isOfTypes = true
    let numbers = (try? compiler.side(other))?.numbers
    let isSame = NumberKind.joined(literal.numbers, numbers) == .joined(literal.untyped.numbers, numbers)
    return isSame ? .literal(literal.untyped, column: column) : operand
  }
}
