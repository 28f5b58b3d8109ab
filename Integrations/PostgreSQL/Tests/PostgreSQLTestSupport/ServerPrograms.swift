import Foundation

/// Where the programs of a PostgreSQL server are.
package struct ServerPrograms: Sendable {
  /// The folder that holds `initdb`, `postgres` and `pg_ctl`.
  package let folder: String
  /// What stands before each command, so that it does not run as root, which the server refuses.
  private let prefix: [String]

  /// The user that runs the server where the tests run as root.
  static let user = "postgres"

  /// Looks for them in `LIVESTORE_POSTGRESQL_BIN` alone if it is set, else in `PATH`, where `pg_config` says,
  /// and where systems install them.
  package init() throws {
    let manager = FileManager.default
    let environment = ProcessInfo.processInfo.environment
    func hasPrograms(_ folder: String) -> Bool {
      ["initdb", "postgres", "pg_ctl"].allSatisfy { manager.isExecutableFile(atPath: "\(folder)/\($0)") }
    }
    let named = environment["LIVESTORE_POSTGRESQL_BIN"].flatMap { $0.isEmpty ? nil : $0 }
    if let named, !hasPrograms(named) {
      throw Mismatch("LIVESTORE_POSTGRESQL_BIN=\(named) is no folder of initdb, postgres and pg_ctl.")
    }
    var folders = [named].compactMap { $0 }
    folders += (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    if let (end, output) = try? ChildProcess.run("pg_config", ["--bindir"]), end == .status(0) {
      folders.append(output.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    for (root, suffix) in [
      ("/usr/lib/postgresql", "bin"), ("/usr/local/opt", "bin"), ("/opt/homebrew/opt", "bin"),
    ] {
      let names = ((try? manager.contentsOfDirectory(atPath: root)) ?? []).filter { name in
        root == "/usr/lib/postgresql" || name.hasPrefix("postgresql")
      }
      // The newest first: versions are numbers.
      folders += names.sorted { $0.compare($1, options: .numeric) == .orderedDescending }.map {
        "\(root)/\($0)/\(suffix)"
      }
    }
    guard let found = folders.first(where: hasPrograms) else {
      throw Mismatch(
        """
        These tests start a PostgreSQL server of their own, and found no initdb, postgres and pg_ctl (14 or later) in \
        PATH, at pg_config --bindir or in /usr/lib/postgresql/*/bin. Install it (Debian: apt-get install postgresql \
        libpq-dev), or set LIVESTORE_POSTGRESQL_BIN to the folder that holds them.
        """)
    }
    folder = found
    guard geteuid() == 0 else {
      prefix = []
      return
    }
    guard getpwnam(Self.user) != nil else {
      throw Mismatch("PostgreSQL does not run as root, and there is no user \"\(Self.user)\" to run it as.")
    }
    let setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].first { manager.isExecutableFile(atPath: $0) }
    guard let setpriv else {
      throw Mismatch(
        "PostgreSQL does not run as root, and there is no setpriv (util-linux) to change the user.")
    }
    // It replaces itself by the program, so that the process started is the server.
    prefix = [setpriv, "--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups", "--"]
  }

  /// The words of a command that runs one of the programs as a user that may.
  func command(_ name: String) -> [String] { prefix + ["\(folder)/\(name)"] }

  /// Starts one of the programs.
  func start(_ name: String, _ arguments: [String], output: String) throws -> ChildProcess {
    let words = command(name) + arguments
    return try ChildProcess(words[0], Array(words.dropFirst()), output: output)
  }

  /// Makes a folder that the server may write to. Its path is short, since that of a socket has at most 107 bytes.
  func makeFolder() throws -> String {
    let roots = [NSTemporaryDirectory(), "/tmp/"].filter { $0.utf8.count < 60 }
    var template = Array("\(roots.first ?? "/tmp/")/livestore-pg-XXXXXX".utf8CString)
    let isMade = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { mkdtemp($0) != nil } ?? false
    }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if !isMade { throw Mismatch("no folder can be made at \(path)") }
    chmod(path, 0o755)
    if geteuid() == 0, let user = getpwnam(Self.user)?.pointee {
      chown(path, user.pw_uid, user.pw_gid)
    }
    return path
  }
}
