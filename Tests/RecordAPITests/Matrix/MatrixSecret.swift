/// A value that only some callers may learn, by any route.
struct MatrixSecret: Sendable {
    let text: String
    let knowers: Set<CallerKind>

    /// The texts that the fixture's records hold, in values, names and file names.
    static let fixed: [MatrixSecret] = {
        let own: Set<CallerKind> = CallerKind.administrators.union(CallerKind.keys).union([.creator])
        let staff: Set<CallerKind> = CallerKind.administrators.union(CallerKind.keys).union([.member])
        let both = own.union(staff)
        let diary = CallerKind.owners.union([.creator])
        return [
            MatrixSecret(text: "own-1-kx83", knowers: own), MatrixSecret(text: "ownsecret", knowers: own),
            MatrixSecret(text: "staff-1-kx84", knowers: staff), MatrixSecret(text: "staffsecret", knowers: staff),
            MatrixSecret(text: "listed-1-kx85", knowers: both), MatrixSecret(text: "listedsecret", knowers: both),
            MatrixSecret(text: "731731731", knowers: staff), MatrixSecret(text: #""cost":"#, knowers: staff),
            MatrixSecret(text: "notesecret", knowers: own), MatrixSecret(text: #""note":"#, knowers: own),
            MatrixSecret(text: "file-1-kx87", knowers: both), MatrixSecret(text: "assetsecret", knowers: both),
            MatrixSecret(text: "scan-kx87", knowers: both),
            MatrixSecret(text: "drop-1-kx88", knowers: own), MatrixSecret(text: "dropsecret", knowers: own),
            MatrixSecret(text: "diary-1-kx89", knowers: diary), MatrixSecret(text: "diarysecret", knowers: diary),
            MatrixSecret(text: "kept-kx95", knowers: diary), MatrixSecret(text: "page-1-kx96", knowers: diary),
            MatrixSecret(text: "zonesecret", knowers: diary),
            MatrixSecret(text: "Auditors_kx91", knowers: CallerKind.administrators),
            MatrixSecret(text: "sparekey-kx92", knowers: CallerKind.managers),
            MatrixSecret(text: "hookpath-kx93", knowers: CallerKind.managers),
            MatrixSecret(text: "whsec_", knowers: CallerKind.managers),
            MatrixSecret(text: "editor-kx90", knowers: CallerKind.owners.union([.editor])),
            MatrixSecret(text: "viewer-kx90", knowers: CallerKind.owners.union([.viewer])),
            MatrixSecret(text: "disabled-kx90", knowers: CallerKind.owners),
            MatrixSecret(text: "matrix horse", knowers: []), MatrixSecret(text: "argon2", knowers: []),
            MatrixSecret(text: "scrypt", knowers: []), MatrixSecret(text: "SELECT ", knowers: []),
            MatrixSecret(text: "sqlite", knowers: []),
        ]
    }()
}
