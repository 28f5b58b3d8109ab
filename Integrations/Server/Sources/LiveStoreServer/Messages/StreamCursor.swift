package import Foundation

/// The cursor of the protocol: the number of an interval of twenty seconds, so that a cache between the server and its clients
/// does not answer one request for ever.
package enum StreamCursor {
  /// The interval of now, or a later one if the client already has that.
  ///
  /// - Parameter known: the cursor that the client sent.
  package static func now(after known: String?, _ date: Date = Date()) -> String {
    // The ninth of October 2024, from which the protocol counts.
    let current = Int64(((date.timeIntervalSince1970 - 1_728_432_000) / 20).rounded(.down))
    guard let known = known.flatMap({ Int64($0) }), known >= current else { return "\(current)" }
    let (next, isOverflow) = known.addingReportingOverflow(.random(in: 1...180))
    return "\(isOverflow ? current : next)"
  }
}
