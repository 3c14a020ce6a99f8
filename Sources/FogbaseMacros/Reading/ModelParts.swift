/// What a macro generates beside the record type's name and the fields' names.
struct ModelParts: OptionSet {
    let rawValue: Int

    /// `init(fields:)`.
    static let decoding = ModelParts(rawValue: 1)
    /// `encode(fields:)`.
    static let encoding = ModelParts(rawValue: 2)
}
