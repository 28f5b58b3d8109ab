/// How an observer wants its events.
struct ObservationOptions: Sendable {
  let initial: InitialDelivery
  let origins: Set<String>
  let mode: DeliveryMode

  init(_ initial: InitialDelivery, _ origins: Set<String>, _ mode: DeliveryMode) {
    self.initial = initial
    self.origins = origins
    self.mode = mode
  }
}
