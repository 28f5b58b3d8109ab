public import Foundation
public import LiveStore

/// A keyword of posts.
///
/// The name is shown as it was first written, and compared without regard to case: "Swift" and "swift" are one tag.
/// For that, the tag has a ``key`` beside its name, and the key is unique.
public struct Tag: Entity, Hashable {
  /// Which tag this is.
  public let id: UUID
  /// The name as it is shown.
  public private(set) var name: String
  /// The name as it is compared; no two tags have the same.
  public private(set) var key: String

  /// The properties.
  public static let schema = Schema<Tag> {
    \.name
    Property(\.key, .unique)
  }

  /// A tag; white space around the name does not count.
  public init(id: UUID = UUID(), name: String) {
    self.id = id
    self.name = Tag.trimmed(name)
    key = Tag.key(of: name)
  }

  /// Gives the tag another name.
  public mutating func rename(to name: String) { self = Tag(id: id, name: name) }

  /// What two names that mean the same tag have in common.
  public static func key(of name: String) -> String { trimmed(name).lowercased() }

  private static func trimmed(_ name: String) -> String {
    name.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

extension Tag {
  /// The tag of a name, however it is capitalised.
  public static func named(_ name: String) -> Query<Tag> {
    let key = key(of: name)
    return Tag.where { $0.key == key }
  }

  /// The tags that posts use, those of the most posts first and then by name.
  public static func mostUsed(limit: Int) -> Query<Tag> {
    Tag.where { $0.uses > 0 }.sorted(by: \.uses, .descending).sorted(by: \.name).limit(limit)
  }
}

extension Row<Tag> {
  /// How many posts have the tag.
  public var uses: Expr<Int> { linking(\Post.tags).count }
}
