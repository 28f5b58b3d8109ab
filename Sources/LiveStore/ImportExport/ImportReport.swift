/// What an import did.
public struct ImportReport: Sendable, Hashable {
  /// How many objects the text has.
  public internal(set) var objects = 0
  /// How many objects were added.
  public internal(set) var inserted = 0
  /// How many objects changed a stored one, in a property that the schema lists.
  public internal(set) var changed = 0
  /// How many objects were equal to the stored one.
  public internal(set) var unchanged = 0
  /// How many commits were made: none if nothing was new.
  public internal(set) var commits = 0
  /// The versions of the first and the last of these commits; nil if there was none. Other writers may have made
  /// versions in between.
  public internal(set) var versions: ClosedRange<Version>?
}

extension ImportReport {
  mutating func add(_ batch: ImportReport) {
    objects += batch.objects
    inserted += batch.inserted
    changed += batch.changed
    unchanged += batch.unchanged
  }

  mutating func add(commit version: Version) {
    commits += 1
    versions = (versions?.lowerBound ?? version)...version
  }
}
