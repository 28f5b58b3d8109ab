/// A cursor's step to the newest results, which are of one version.
package struct CursorStep: Sendable {
  /// What was last delivered; nil if nothing was.
  package let old: [ResultSide]?
  package let new: [ResultSide]
  /// Whether all that is new was written by the cursor's own actor.
  let isOwn: Bool
}
