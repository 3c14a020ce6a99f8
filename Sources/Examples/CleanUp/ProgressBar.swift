/// A bar of forty characters: `[########--------] 50 %`.
struct ProgressBar: CustomStringConvertible {
    /// From 0 to 1.
    var fraction: Double

    var description: String {
        let filled = Int(fraction * 40)
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 40 - filled)
        return "[\(bar)] \(Int(fraction * 100)) %"
    }
}
