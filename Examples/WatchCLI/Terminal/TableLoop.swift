import Foundation

/// What the thread of a display does: waits for keys, signals and contents, and draws.
///
/// A frame is drawn when the one before has been written, and no sooner than a twentieth of a second after it.
struct TableLoop {
  private let file: TerminalFile
  private var screen: TableScreen
  private var encoder: FrameEncoder
  private var keys = KeyReader()
  private var content: TableScreen.Content?
  /// The rest of a frame that the terminal has not taken.
  private var output: ArraySlice<UInt8> = []
  private var isStale = true
  private var nextDraw = ContinuousClock.now
  /// When an Escape is a key, if there was one.
  private var escapeEnd: ContinuousClock.Instant?

  private static let pace = Duration.milliseconds(50)
  /// How long after an Escape the rest of a sequence may come.
  private static let escapeTime = Duration.milliseconds(50)

  init(file: TerminalFile, screen: TableScreen, encoder: FrameEncoder) {
    (self.file, self.screen, self.encoder) = (file, screen, encoder)
  }

  /// Draws until the display is stopped or the terminal ends, and returns what is on the screen then, as text.
  mutating func run(_ display: TableDisplay) -> [String] {
    guard TerminalGuard.begin(file.descriptor) else { return hangUp() }
    defer { TerminalGuard.restore() }
    while !display.isStopping {
      draw(display)
      guard wait(display) else { return hangUp() }
      search(display)
    }
    refresh(display)
    return content.map { screen.keptLines($0) } ?? []
  }

  private func hangUp() -> [String] {
    Interrupts.end(.hungUp)
    return []
  }

  private mutating func search(_ display: TableDisplay) {
    guard screen.isSearching, let rows = display.newest?.rows else { return }
    screen.search(in: rows)
    isStale = true
  }

  /// Takes the newest content, and compares it with the version that was shown before.
  private mutating func refresh(_ display: TableDisplay) {
    guard let (rows, summary) = display.newest else { return }
    let isSame = content?.rows.version == rows.version
    content = TableScreen.Content(
      rows: rows, previous: isSame ? content?.previous : content?.rows, summary: summary)
  }

  private mutating func draw(_ display: TableDisplay) {
    guard isStale, output.isEmpty, ContinuousClock.now >= nextDraw else { return }
    isStale = false
    refresh(display)
    guard let content else { return }
    output = encoder.bytes(for: screen.lines(content), columns: screen.size.columns)[...]
    nextDraw = .now + Self.pace
  }

  /// Waits until there is something to do, and takes it in; false at the end of the terminal.
  private mutating func wait(_ display: TableDisplay) -> Bool {
    var files = [
      pollfd(fd: TerminalSignals.pipe.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: file.descriptor, events: Int16(output.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0),
    ]
    guard poll(&files, nfds_t(files.count), timeout) >= 0 else { return errno == EINTR || errno == EAGAIN }
    if files[0].revents != 0 { takeSignals() }
    if files[1].revents & Int16(POLLIN) != 0 {
      guard let bytes = file.read() else { return false }
      perform(keys.keys(in: bytes), display)
      escapeEnd = keys.mayBeEscape ? .now + Self.escapeTime : nil
    } else if files[1].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
      return false
    }
    if let end = escapeEnd, ContinuousClock.now >= end {
      escapeEnd = nil
      perform([keys.takeEscape()], display)
    }
    if !output.isEmpty {
      guard let count = file.write(output) else { return false }
      output = output.dropFirst(count)
    }
    return true
  }

  /// Milliseconds until there is something to do; -1 if there is nothing before an event.
  private var timeout: Int32 {
    if screen.isSearching { return 0 }
    let ends = [escapeEnd, isStale && output.isEmpty ? nextDraw : nil].compactMap(\.self)
    guard let end = ends.min() else { return -1 }
    let rest = end - .now
    return rest <= .zero ? 0 : Int32(rest / .milliseconds(1)) + 1
  }

  private mutating func takeSignals() {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(TerminalSignals.pipe.reading, &bytes, bytes.count)
    let signals = Set(bytes[..<max(0, count)].map(Int32.init))
    if signals.contains(SIGTSTP) { suspend() }
    if signals.contains(SIGCONT) {
      TerminalGuard.renew()
      redraw()
    }
    if signals.contains(SIGWINCH) { redraw() }
    isStale = true
  }

  /// Gives the terminal back, stops, and takes it again when continued.
  private mutating func suspend() {
    TerminalGuard.restore()
    TerminalSignals.stop()
    if !TerminalGuard.begin(file.descriptor) { Interrupts.end(.hungUp) }
    redraw()
  }

  /// Draws everything in the size that the terminal has now.
  private mutating func redraw() {
    screen.size = TerminalFile.size(of: file.descriptor)
    encoder.forget()
    output = []
    (isStale, nextDraw) = (true, .now)
  }

  private mutating func perform(_ keys: [TerminalKey], _ display: TableDisplay) {
    for key in keys {
      if key == .redraw { redraw() }
      switch screen.perform(key) {
      case .nothing: continue
      case .quit: Interrupts.end(.success)
      case .order(let order): display.choose(order)
      case .draw: break
      }
      (isStale, nextDraw) = (true, .now)
    }
  }
}
