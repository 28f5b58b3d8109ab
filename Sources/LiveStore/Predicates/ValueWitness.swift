/// The type of an expression's values, with what conditions need to know of it.
protocol ValueWitness<Value> {
  associatedtype Value: Equatable & Sendable
}

struct Witness<Value: Equatable & Sendable>: ValueWitness {
  /// The witness of a type that is found by a cast; nil for types of users, which a schema's line gives.
  static func plain<Output>(_: Output.Type) -> (any ValueWitness)? {
    func witness<Plain: KnownSendable>(_: Plain.Type) -> any ValueWitness { LiveStore.Witness<Plain>() }
    return (Output.self as? any KnownSendable.Type).map { witness($0) }
  }
}

/// The witness of a type of users or of the library; nil if no schema and no cast knows it.
func plainWitness<Output>(_: Output.Type) -> (any ValueWitness)? { Witness<Bool>.plain(Output.self) }
