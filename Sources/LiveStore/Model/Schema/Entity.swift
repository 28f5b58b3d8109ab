/// A type whose values a store holds: a plain `Sendable` struct with an identity and a schema.
///
/// ```swift
/// struct User: Entity {
///   let id: UUID
///   var name: String
///   static let schema = Schema<User> { \.name }
/// }
/// ```
///
/// In a module whose default isolation is the main actor, mark nested value types `nonisolated`, as they are compared
/// on other threads.
public protocol Entity: Identifiable, Sendable where ID: Hashable & Sendable {
  /// The description of this type: its properties, their names and indexes.
  static var schema: Schema<Self> { get }
}

/// A key path that may cross isolations, as key path literals without captures may.
public typealias SendableKeyPath<Root, Value> = any KeyPath<Root, Value> & Sendable
