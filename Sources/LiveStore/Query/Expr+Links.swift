extension Conditions {
  /// Whether a value links to a target.
  static func linking<Value: RelationValue>(
    _ lhs: Expr<Value>, to target: Ref<Value.Target>
  ) -> Expr<Bool> {
    let mask = testMask(lhs.accessor) { value in
      var isLinked = false
      value.forEachReference { isLinked = isLinked || $0 == target }
      return isLinked
    }
    guard let path = lhs.source.path else { return testing(mask) }
    let candidates = Candidates(path, lhs.accessor, linkingTo: idHash(target.id))
    return Expr<Bool>(
      .condition(Condition(form: .link(path, Constant(target)), mask: mask, candidates: candidates)))
  }
}

extension Expr where Value: RelationValue {
  /// Whether the value links to an object: `$0.tags.contains(swift.ref)`.
  public func contains(_ target: Ref<Value.Target>) -> Expr<Bool> { Conditions.linking(self, to: target) }
}
