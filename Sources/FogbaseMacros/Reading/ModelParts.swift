/// The parts of a model that a macro generates in addition to the record type and the fields enumeration.
struct ModelParts: OptionSet {
    let rawValue: Int

    /// `init(fields:)`.
    static let decoding = ModelParts(rawValue: 1)
    /// `encode(fields:)`.
    static let encoding = ModelParts(rawValue: 2)
}
