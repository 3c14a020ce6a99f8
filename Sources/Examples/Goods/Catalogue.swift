import FogbaseClient
import Foundation

/// The goods in the private database of whoever is signed in.
struct Catalogue {
    let database: Database

    /// Adds goods with an image from a file, such as a camera's.
    func add(_ good: Good, image file: URL?) async throws -> Stored<Good> {
        var good = good
        if let file { good.image = try await database.upload(file, contentType: "image/png") }
        return try await database.create(good, named: good.code)
    }

    /// Goods in a range of prices, the dearest first, and of one price those that cost least.
    func goods(priced range: ClosedRange<Int>) async throws -> [Stored<Good>] {
        let query = Query<Good>()
            .filter(\.salesPrice, in: range)
            .sorted(by: \.salesPrice, ascending: false)
            .sorted(by: \.costRate)
        return try await database.fetch(query).items
    }

    /// Reads the image as it was uploaded, when somebody looks at it.
    func image(of good: Stored<Good>) async throws -> Data? {
        guard let image = good.image else { return nil }
        return try await database.data(of: .asset(image))
    }

    /// Reads the image upright, and small enough for a list.
    func thumbnail(of good: Stored<Good>) async throws -> Data? {
        guard let image = good.image else { return nil }
        return try await database.thumbnail(of: .asset(image), Thumbnail(width: 64, height: 64, format: .png))
    }
}
