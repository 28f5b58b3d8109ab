/// The errors of an evaluation of a query: what a predicate threw first, or why the evaluation ended early.
///
/// A row whose predicate throws does not pass.
package struct FilterFailures: Sendable {
  let error: StoreError

  init(_ error: StoreError) { self.error = error }
}
