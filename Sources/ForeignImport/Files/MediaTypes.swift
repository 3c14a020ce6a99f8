/// The media types of files, by the ends of their names. Other sources than CloudKit's store none.
enum MediaTypes {
    private static let types = [
        "aac": "audio/aac", "avif": "image/avif", "bmp": "image/bmp", "csv": "text/csv", "flac": "audio/flac",
        "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic", "heif": "image/heif", "jpeg": "image/jpeg",
        "jpg": "image/jpeg", "json": "application/json", "m4a": "audio/mp4", "mov": "video/quicktime",
        "mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg", "opus": "audio/opus", "pdf": "application/pdf",
        "png": "image/png", "svg": "image/svg+xml", "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm",
        "webp": "image/webp", "zip": "application/zip",
    ]

    /// Returns the type of a file; `nil` if its name does not tell.
    static func type(of name: String) -> String? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        return types[name[name.index(after: dot)...].lowercased()]
    }
}
