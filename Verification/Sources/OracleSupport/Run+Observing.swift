import LiveStore

extension Run {
  func watch(_ random: inout Randomness) {
    guard watches.count < 12 else { return }
    if random.percent(12) {
      let watch = CommitWatch(store, timeline)
      note("observe \(watch.text)")
      return watches.append(watch)
    }
    if random.percent(8) {
      let (posts, users) = (
        Post.menu.question(&random, palette, timeline.newest),
        User.menu.question(&random, palette, timeline.newest)
      )
      let watch = PairWatch(store, posts, users, timeline)
      note("observe \(watch.text)")
      return watches.append(watch)
    }
    let asked = something(&random, timeline.newest)
    var style = ObserverStyle()
    style.kind = random.pick([.token, .token, .pull, .pull, .values, .subscription])
    if asked.text.contains("properties:"), style.kind != .token { style.kind = .pull }
    if style.kind == .token || style.kind == .pull {
      style.skipsInitial = random.percent(25)
      switch random.below(7) {
      case 0: style.isEveryCommit = true
      case 2 where asked.takesExclusion:
        style.isEveryCommit = true
        style.excluded = random.pick([["ui"], ["sync"]])
      case 1 where asked.takesExclusion:
        style.excluded = random.pick([["ui"], ["sync"], ["ui", "sync"]])
      default: break
      }
    }
    let watch = asked.watch(store, style, timeline)
    note("observe \(watch.text)")
    watches.append(watch)
  }
}
