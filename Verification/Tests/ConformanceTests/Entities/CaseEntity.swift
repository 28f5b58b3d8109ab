import LiveStore

/// A struct that stands for a type of the cases.
protocol CaseEntity: Entity where ID == Int {
  /// Its properties; the schema follows from them.
  static var columns: Columns<Self> { get }

  /// An object whose properties have their defaults.
  init()
}

extension CaseEntity {
  static var schema: Schema<Self> { columns.schema }
}
