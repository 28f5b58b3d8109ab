import LiveStore

/// What every version was, as the model has it.
final class Timeline {
  private(set) var models: [Model] = [Model()]
  private(set) var origins: [String?] = [nil]

  var version: UInt64 { UInt64(models.count - 1) }
  var newest: Model {
    get { models[models.count - 1] }
    // Ignored properties change without a version.
    set { models[models.count - 1] = newValue }
  }

  subscript(version: UInt64) -> Model? { version < UInt64(models.count) ? models[Int(version)] : nil }

  func origin(of version: UInt64) -> String? { origins[Int(version)] }

  func append(_ model: Model, origin: String?) {
    models.append(model)
    origins.append(origin)
  }
}
