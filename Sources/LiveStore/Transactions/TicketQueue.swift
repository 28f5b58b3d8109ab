/// Elements in the order of their tickets, which ascend. An element can be found and removed by its ticket.
///
/// A removed element leaves an empty slot. `head` skips the empty slots before the first element. When more than half
/// of all slots are empty, the others are moved together, so each removal pays for moving at most one element.
///
/// ```
/// slots   [ – – 3 4 – 6 ]       head 2, count 3
/// ```
package struct TicketQueue<Element> {
  private var slots: [(ticket: UInt64, element: Element?)] = []
  /// The slot of the first element; the number of slots when there is none.
  private var head = 0
  package private(set) var count = 0

  package init() {}

  /// The first element and its ticket.
  package var first: (ticket: UInt64, element: Element)? {
    guard head < slots.count, let element = slots[head].element else { return nil }
    return (slots[head].ticket, element)
  }

  /// The ticket of the first element.
  var firstTicket: UInt64? { head < slots.count ? slots[head].ticket : nil }

  /// How many elements are before a ticket.
  ///
  /// - Complexity: O(*n*).
  func count(before ticket: UInt64) -> Int {
    slots[head...].prefix { $0.ticket < ticket }.count { $0.element != nil }
  }

  /// Adds an element at the end.
  ///
  /// - Parameter ticket: greater than all earlier ones.
  package mutating func append(_ element: Element, ticket: UInt64) {
    slots.append((ticket, element))
    count += 1
  }

  /// The element with a ticket. Setting it replaces the element, and does nothing if that was removed.
  ///
  /// - Complexity: O(log *n*).
  package subscript(ticket: UInt64) -> Element? {
    get { index(of: ticket).flatMap { slots[$0].element } }
    set {
      guard let newValue, let index = index(of: ticket), slots[index].element != nil else { return }
      slots[index].element = newValue
    }
  }

  /// Removes the element with a ticket, if there is one.
  ///
  /// - Complexity: O(log *n*), amortised.
  package mutating func remove(_ ticket: UInt64) {
    guard let index = index(of: ticket), slots[index].element != nil else { return }
    slots[index].element = nil
    count -= 1
    while head < slots.count, slots[head].element == nil { head += 1 }
    if slots.count > 2 * count + 16 {
      slots.removeAll { $0.element == nil }
      head = 0
    }
  }

  private func index(of ticket: UInt64) -> Int? {
    var (low, high) = (head, slots.count)
    while low < high {
      let middle = (low + high) / 2
      if slots[middle].ticket < ticket { low = middle + 1 } else { high = middle }
    }
    return low < slots.count && slots[low].ticket == ticket ? low : nil
  }
}
