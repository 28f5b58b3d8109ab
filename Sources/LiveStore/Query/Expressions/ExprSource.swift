/// The meaning of an expression, without its type.
package enum ExprSource: Sendable {
  case path(Term)
  case condition(ConditionTree)
}
