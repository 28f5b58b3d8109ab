/// What happens to the object that holds a link when the object it leads to is deleted.
public enum DeleteRule: String, Sendable, Hashable, Codable {
  /// The link is removed: a reference becomes nil; lists, sets and maps lose the entry.
  case nullify
  /// The object that holds the link is deleted, too. Only for links to one object: on a list, set or map it is
  /// `invalidSchema`, as it would delete the object with any one of its targets. To delete the targets with the
  /// object that lists them, use ``RelationOption/owned``.
  case cascade
  /// The deletion is an error, unless the link is removed by the end of the transaction.
  case restrict
}
