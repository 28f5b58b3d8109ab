import LiveStore

/// A struct that stands for a type of the cases.
///
/// Links are kept as the target's id, lists of links as ids in order; what follows them needs relations.
protocol CaseEntity: Entity where ID == Int {
  /// Its properties by the names of the cases, the id first.
  static var columns: [any Column<Self>] { get }

  /// An object with the id whose other properties have their defaults.
  init(id: Int)
}

/// What a property of a type in the cases refers to.
enum Reference: Equatable {
  case link(String)
  case list(String)

  var target: String {
    switch self {
    case .link(let target), .list(let target): target
    }
  }

  /// The name of the missing capability that following it needs.
  var capability: String {
    switch self {
    case .link: "relations: Ref"
    case .list: "relations: RefList"
    }
  }
}

extension CaseEntity {
  /// The id, under its own name.
  static func identity(_ keyPath: any KeyPath<Self, Int> & Sendable) -> any Column<Self> {
    TypedColumn(name: "id", storedName: "id", type: "int", reference: nil, keyPath: keyPath, write: nil)
  }

  /// A property of plain values.
  static func column<Value: CaseValue>(
    _ name: String, _ keyPath: any WritableKeyPath<Self, Value> & Sendable
  ) -> any Column<Self> {
    TypedColumn(name, Value.typeName, nil, keyPath)
  }

  /// A to-one link.
  static func link(
    _ name: String, to target: String, _ keyPath: any WritableKeyPath<Self, Int?> & Sendable
  ) -> any Column<Self> {
    TypedColumn(name, "link:\(target)?", .link(target), keyPath)
  }

  /// A list of links.
  static func list(
    _ name: String, of target: String, _ keyPath: any WritableKeyPath<Self, [Int]> & Sendable
  ) -> any Column<Self> {
    TypedColumn(name, "list:\(target)", .list(target), keyPath)
  }
}
