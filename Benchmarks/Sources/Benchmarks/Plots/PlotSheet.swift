import Foundation

/// The panels of a scene, side by side.
struct PlotSheet {
  let title: String
  let note: String
  let panels: [Panel]

  var svg: String {
    let columns = min(3, panels.count)
    let rows = (panels.count + columns - 1) / columns
    let (width, height) = (Double(columns) * Panel.width, Double(rows) * Panel.height + 56)
    let style = """
      text { font: 11px system-ui, sans-serif; fill: #333 } .head { font-size: 16px; font-weight: 600 } \
      .title { font-size: 12px; font-weight: 600 } .key { font-size: 11px } .grid { stroke: #e2e2e2; fill: none }
      """
    var parts = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(width)) \(Int(height))\">",
      "<style>\(style)</style>", "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
      "<text class=\"head\" x=\"10\" y=\"24\">\(title.escapedForXML)</text>",
      "<text x=\"10\" y=\"42\">\(note.escapedForXML)</text>",
    ]
    for (index, panel) in panels.enumerated() {
      let (column, row) = (Double(index % columns), Double(index / columns))
      parts.append(panel.svg(x: column * Panel.width, y: row * Panel.height + 56))
    }
    return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
  }
}
