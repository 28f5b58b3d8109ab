/// A cursor's step to the newest results, which are of one version.
package struct CursorStep: Sendable {
  /// The results last delivered; nil if there were none.
  package let old: [ResultSide]?
  package let new: [ResultSide]
  /// Whether the cursor's own actor wrote all changes.
  let isOwn: Bool
}
