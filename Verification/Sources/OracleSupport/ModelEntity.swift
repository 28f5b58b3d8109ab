import LiveStore

/// What the model has to know of an entity: its table, what counts in it, its links, how to make one up.
protocol ModelEntity: Entity where ID: Canonical {
  static var table: any (WritableKeyPath<Model, Table<Self>> & Sendable) { get }
  static var target: LinkTarget { get }
  static var links: [Link<Self>] { get }
  static var menu: Menu<Self> { get }
  var id: ID { get set }
  /// The names of the listed properties, in the order of the schema.
  static var names: [String] { get }
  /// Their values, in that order.
  var values: [Canon] { get }
  /// What is stored but does not count.
  var ignored: Int { get }
  static func randomID(_ random: inout Randomness, _ palette: Palette) -> ID
  static func random(_ id: ID, _ random: inout Randomness, _ palette: Palette, _ model: Model) -> Self
  static func randomEdit(_ random: inout Randomness, _ palette: Palette, _ model: Model) -> Edit<Self>
}

extension ModelEntity {
  var ignored: Int { 0 }
  static var name: String { "\(Self.self)" }
}

/// A change of one object, given to the store and to the model alike.
struct Edit<Element: Sendable>: Sendable {
  var text: String
  /// What it does to a post's list of tags.
  var list: ListEdit?
  var apply: @Sendable (inout Element) -> Void
}

/// One relation of an entity, as the model follows it.
struct Link<Source: Sendable>: Sendable {
  var name: String
  var target: LinkTarget
  var rule: Rule
  /// Whether what it names is deleted with the object.
  var isOwned = false
  /// The ids that the property names.
  var ids: @Sendable (Source) -> [Canon]
  /// The object without references to one id.
  var removing: @Sendable (inout Source, Canon) -> Void

  enum Rule: Sendable { case nullify, cascade, restrict }
}

/// The entities, by name.
enum LinkTarget: Sendable, Hashable { case team, tag, user, post, comment }
