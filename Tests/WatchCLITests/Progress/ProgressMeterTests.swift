import Synchronization
import Testing
import livestore_watch

/// When progress is shown, and where, by a clock that stands still until it is set.
@Suite struct ProgressMeterTests {
  /// The time, and what has been written.
  private final class Scene: Sendable {
    let state = Mutex((time: Duration.zero, text: ""))

    func meter(total: Int?, _ form: ProgressMeter.Form) -> ProgressMeter {
      ProgressMeter(total: total, form: form, clock: { self.state.withLock { $0.time } }) { text in
        self.state.withLock { $0.text += text }
      }
    }

    func set(milliseconds: Int) { state.withLock { $0.time = .milliseconds(milliseconds) } }

    /// What has been written since the last call, with erasures as `⌫`.
    func written() -> String {
      state.withLock { state in
        defer { state.text = "" }
        return state.text.split(separator: "\r\u{1B}[K", omittingEmptySubsequences: false).joined(
          separator: "⌫")
      }
    }
  }

  private let scene = Scene()

  @Test func `a line is replaced at most ten times a second, and is left complete at the end`() {
    let meter = scene.meter(total: 2_000, .line { 21 })
    for time in stride(from: 0, to: 100, by: 9) {
      scene.set(milliseconds: time)
      meter.update(lines: time, bytes: 10 * time)
    }
    #expect(scene.written() == "")
    scene.set(milliseconds: 100)
    meter.update(lines: 100, bytes: 1_000)
    #expect(scene.written() == "⌫50%  0:01 left")
    scene.set(milliseconds: 199)
    meter.update(lines: 150, bytes: 1_500)
    #expect(scene.written() == "")
    scene.set(milliseconds: 200)
    meter.finish(lines: 200, bytes: 2_000)
    #expect(scene.written() == "⌫100%  in 0:00\n")
    meter.update(lines: 300, bytes: 3_000)
    meter.finish(lines: 300, bytes: 3_000)
    #expect(scene.written() == "", "nothing is shown after the end")
  }

  @Test func `bad lines are counted between two reports`() {
    let meter = scene.meter(total: nil, .log)
    meter.countBadLine()
    meter.countBadLine()
    scene.set(milliseconds: 5_000)
    meter.update(lines: 10, bytes: 100)
    #expect(scene.written() == "livestore-watch: 10 lines, 100 B, 2 bad, 2 lines/s, 20 B/s, in 0:05\n")
    meter.countBadLine()
    meter.finish(lines: 20, bytes: 200)
    #expect(scene.written() == "livestore-watch: 20 lines, 200 B, 3 bad, 4 lines/s, 40 B/s, in 0:05\n")
  }

  @Test func `the line is not there while the output has the terminal`() {
    let meter = scene.meter(total: 100, .line { 9 })
    meter.hidden { #expect(scene.written() == "", "there is no line yet") }
    scene.set(milliseconds: 100)
    meter.update(lines: 1, bytes: 50)
    #expect(scene.written() == "⌫50%")
    meter.hidden {
      #expect(scene.written() == "⌫")
      scene.set(milliseconds: 1_000)
      // Reading does not wait for the output.
      meter.update(lines: 2, bytes: 75)
      #expect(scene.written() == "")
    }
    #expect(scene.written() == "50%")
    meter.update(lines: 2, bytes: 75)
    #expect(scene.written() == "⌫75%")
  }

  @Test func `a log has a line every five seconds, and one at the end if there was another`() {
    let meter = scene.meter(total: nil, .log)
    scene.set(milliseconds: 4_999)
    meter.update(lines: 1, bytes: 1)
    #expect(scene.written() == "")
    scene.set(milliseconds: 5_000)
    meter.update(lines: 1_000_000, bytes: 200_000_000)
    #expect(
      scene.written() == "livestore-watch: 1.00M lines, 200 MB, 200k lines/s, 40.0 MB/s, in 0:05\n")
    scene.set(milliseconds: 8_000)
    meter.finish(lines: 1_600_000, bytes: 320_000_000)
    #expect(
      scene.written() == "livestore-watch: 1.60M lines, 320 MB, 200k lines/s, 40.0 MB/s, in 0:08\n")
    let short = Scene()
    short.meter(total: 10, .log).finish(lines: 1, bytes: 10)
    #expect(short.written() == "")
  }

  @Test func `the words for a table are short, and are taken away at the end`() {
    let words = Mutex<[String?]>([])
    let shared = Shared(words: words)
    let meter = scene.meter(total: 400, .words { text in shared.words.withLock { $0.append(text) } })
    scene.set(milliseconds: 3_000)
    meter.update(lines: 3, bytes: 100)
    meter.finish(lines: 12, bytes: 400)
    #expect(shared.words.withLock { $0 } == ["25%, 1 lines/s, 0:09 left", nil])
    #expect(scene.written() == "")
  }

  private final class Shared: Sendable {
    let words: Mutex<[String?]>
    init(words: consuming sending Mutex<[String?]>) { self.words = words }
  }

  @Test func `a meter that was not asked for appears after a second and leaves nothing`() {
    let time = Mutex(Duration.zero)
    let written = Mutex("")
    let meter = ProgressMeter(
      total: 100, form: .line { 80 }, isTemporary: true, clock: { time.withLock { $0 } },
      write: { text in written.withLock { $0 += text } })
    for milliseconds in [0, 200, 900] {
      time.withLock { $0 = .milliseconds(milliseconds) }
      meter.update(lines: 1, bytes: 10)
    }
    #expect(written.withLock { $0 } == "")
    time.withLock { $0 = .milliseconds(1_100) }
    meter.update(lines: 5, bytes: 50)
    #expect(written.withLock { $0 }.contains("50%"))
    meter.finish(lines: 9, bytes: 100)
    let text = written.withLock { $0 }
    #expect(text.hasSuffix("\r\u{1B}[K") && !text.contains("100%") && !text.contains("\n"), "\(text)")
  }
}
