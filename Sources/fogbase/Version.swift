/// The version of Fogbase.
enum Version {
    static let text = "0.1.0"

    /// The version of the Swift compiler, as precisely as the language reports it.
    static var swift: String {
        #if compiler(>=6.5)
            "6.5 or later"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3.1)
            "6.3.1"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
