/// The type of an expression's values, with what conditions need to know of it.
protocol ValueWitness<Value> {
  associatedtype Value: Equatable & Sendable
}

struct Witness<Value: Equatable & Sendable>: ValueWitness {}

/// The witness of a type of the library; nil for types of users, which a schema's line gives.
func plainWitness<Output>(_: Output.Type) -> (any ValueWitness)? {
  func witness<Plain: KnownSendable>(_: Plain.Type) -> any ValueWitness { Witness<Plain>() }
  return (Output.self as? any KnownSendable.Type).map { witness($0) }
}
