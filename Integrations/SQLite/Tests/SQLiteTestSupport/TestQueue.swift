/// Lets one test at a time go on, in the order in which they came: for what the process has once.
package actor TestQueue {
  private var isOccupied = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  /// Waits until no other test is in.
  package func enter() async {
    if isOccupied {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      isOccupied = true
    }
  }

  /// Lets the next one in.
  package func leave() {
    if waiting.isEmpty {
      isOccupied = false
    } else {
      waiting.removeFirst().resume()
    }
  }
}
