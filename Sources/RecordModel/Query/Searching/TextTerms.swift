/// The entries of a record in an index for searches, besides one per distinct word.
package enum TextTerms {
    /// The most distinct words of one record in an index. A record with more has the entry `overflow` instead of its
    /// words, and each search tests its texts.
    package static let maxPerRecord = 4_000

    /// The key text of the entry that each record with the field has. Its payload is the number of words, as
    /// `FieldLength`.
    package static let everyRecord: [UInt8] = []

    /// The key text of the entry of a record with too many words. No word contains this byte.
    package static let overflow: [UInt8] = [0]
}
