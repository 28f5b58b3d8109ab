/// The errors of an evaluation of a query: what a predicate threw first, or why the evaluation ended early.
///
/// A row whose predicate throws does not pass.
package struct FilterFailures: Sendable {
  let error: StoreError
  /// Whether the evaluation ended early. What was found is not used then.
  let areEarlyEnd: Bool

  init(_ error: StoreError, areEarlyEnd: Bool = false) {
    (self.error, self.areEarlyEnd) = (error, areEarlyEnd)
  }
}
