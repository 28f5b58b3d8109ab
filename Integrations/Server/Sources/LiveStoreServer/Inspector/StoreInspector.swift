/// A page that shows what a running store holds, runs and costs, for developers and operators.
///
/// ```swift
/// var configuration = ServerConfiguration()
/// configuration.inspector = StoreInspector()
/// configuration.inspector?.report("file") { ["durable version": "\(file.durableVersion)"] }
/// let server = try StoreServer(store, configuration: configuration) { Expose(Post.self, fields: [\.title]) }
/// try await server.run(on: .loopback(port: 4321))            // http://localhost:4321/inspector
/// ```
/// It shows all rows and properties of the store, whatever the server exposes. So it is off unless it is asked for, and only
/// ``StoreServer/run(on:onRunning:)`` serves it: on loopback, or on a Unix socket. While no page is open it costs nothing;
/// while one is, times of commits and live queries are recorded.
public struct StoreInspector: Sendable {
  struct Reporter: Sendable {
    let name: String
    let figures: @Sendable () -> KeyValuePairs<String, String>
  }

  private(set) var reporters: [Reporter] = []

  /// An inspector without reports.
  public init() {}

  /// Adds figures of something that follows the store or feeds it, such as a file or a replica.
  ///
  /// ```swift
  /// inspector.report("file") { ["durable version": "\(file.durableVersion)"] }
  /// ```
  /// - Parameters:
  ///   - name: what the figures are about; reports have different names.
  ///   - figures: the figures in their order. It is called some times a second while a page is open, and must be quick.
  public mutating func report(
    _ name: String, _ figures: @escaping @Sendable () -> KeyValuePairs<String, String>
  ) {
    precondition(
      !reporters.contains { $0.name == name },
      "the report \(name) is added twice; give each a name of its own")
    reporters.append(Reporter(name: name, figures: figures))
  }
}
