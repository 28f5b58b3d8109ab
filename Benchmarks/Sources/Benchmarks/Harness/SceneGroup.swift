/// Scenes whose figures are one table: those whose names begin with the same word.
struct SceneGroup {
  let title: String
  let scenes: [Scene]

  static var all: [SceneGroup] {
    var names: [Substring] = []
    let groups = Dictionary(grouping: Scene.all) { $0.name.prefix { $0 != "." } }
    for scene in Scene.all {
      let name = scene.name.prefix { $0 != "." }
      if !names.contains(name) { names.append(name) }
    }
    return names.map { name in
      let scenes = groups[name] ?? []
      let summary = scenes.count == 1 ? scenes[0].summary : "what is demanded"
      return SceneGroup(title: "\(name): \(summary)", scenes: scenes)
    }
  }
}
