import TestSupport
import Testing

import LiveStore

@Suite struct `A queue of tickets` {
  /// Whatever is appended, replaced and removed, against an array that is searched from its start.
  @Test func `a queue of tickets holds what an array holds`() throws {
    for seed in Seeds.forSuite(4, thorough: 20) {
      var random = SplitMix64(seed: seed)
      var queue = TicketQueue<Int>()
      var model: [(ticket: UInt64, element: Int)] = []
      var ticket: UInt64 = 0
      for step in 0..<400 {
        switch random.int(0...5) {
        case 0, 1:
          ticket += UInt64(random.int(1...3))
          queue.append(step, ticket: ticket)
          model.append((ticket, step))
        case 2:
          // Also tickets that have left or were never given.
          let ticket = UInt64(random.int(0...Int(ticket) + 1))
          queue[ticket] = step
          if let index = model.firstIndex(where: { $0.ticket == ticket }) { model[index].element = step }
        default:
          let ticket =
            random.chance(1, in: 2) ? model.first?.ticket ?? 0 : UInt64(random.int(0...Int(ticket) + 1))
          queue.remove(ticket)
          model.removeAll { $0.ticket == ticket }
        }
        let trace: Comment = "seed \(seed), step \(step)"
        #expect(queue.count == model.count, trace)
        #expect(
          queue.first?.ticket == model.first?.ticket && queue.first?.element == model.first?.element, trace)
        for ticket in 0...ticket {
          #expect(queue[ticket] == model.first { $0.ticket == ticket }?.element, trace)
        }
      }
    }
  }
}
