import LiveStore

/// A struct that stands for a type of the cases.
protocol CaseEntity: Entity where ID == Int {
  /// Its properties by the names of the cases, the id first.
  static var columns: [any Column<Self>] { get }

  /// An object with the id whose other properties have their defaults.
  init(id: Int)
}

extension CaseEntity {
  /// The id, under its own name.
  static func identity(_ keyPath: any KeyPath<Self, Int> & Sendable) -> any Column<Self> {
    TypedColumn(name: "id", storedName: "id", type: "int", keyPath: keyPath, write: nil)
  }

  /// A property of plain values.
  static func column<Value: CaseValue>(
    _ name: String, _ keyPath: any WritableKeyPath<Self, Value> & Sendable
  ) -> any Column<Self> {
    TypedColumn(name, Value.typeName, keyPath)
  }

  /// A to-one link.
  static func link<Target: CaseEntity>(
    _ name: String, _ keyPath: any WritableKeyPath<Self, Ref<Target>?> & Sendable
  ) -> any Column<Self> {
    TypedColumn(name, "link:\(Target.self)?", keyPath)
  }

  /// A list of links.
  static func list<Target: CaseEntity>(
    _ name: String, _ keyPath: any WritableKeyPath<Self, RefList<Target>> & Sendable
  ) -> any Column<Self> {
    TypedColumn(name, "list:\(Target.self)", keyPath)
  }
}
