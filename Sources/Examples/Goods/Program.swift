import ExampleSupport
import FogbaseClient
import Foundation

/// Products with prices and large images in a private database.
@main enum Program {
    static func main() async {
        await Example.run("Goods in a price range, with images of any size and their orientation.") { example in
            let app = Fogbase(example.server).container()
            let user = try await app.signUp(Example.fresh("shop"), password: "correct horse battery")
            example.say("\(user.name ?? "") has an account.")
            let catalogue = Catalogue(database: app.privateDatabase)

            // A photo taken with the camera rotated: orientation 6 says how to rotate the stored pixels.
            let picture = SamplePicture(width: 800, height: 600, orientation: 6)
            try await stock(catalogue, picture, example)
            let goods = try await list(catalogue, example)
            try await show(goods, in: catalogue, picture, example)
            try await change(goods, in: catalogue, example)
            try await keepOut(example)
        }
    }

    private static func stock(_ catalogue: Catalogue, _ picture: SamplePicture, _ example: Example) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(Example.fresh("image") + ".png")
        try picture.png.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        let goods = [
            ("G-1", "Pencil", 0.4, 99), ("G-2", "Brush", 0.6, 100), ("G-3", "Ink", 0.5, 300),
            ("G-4", "Paper", 0.3, 300), ("G-5", "Frame", 0.7, 500), ("G-6", "Easel", 0.5, 501),
        ]
        for (code, name, costRate, salesPrice) in goods {
            let good = Good(code: code, name: name, costRate: costRate, salesPrice: salesPrice)
            _ = try await catalogue.add(good, image: name == "Frame" ? file : nil)
        }
        example.say("\(goods.count) goods are in the catalogue.")
    }

    private static func list(_ catalogue: Catalogue, _ example: Example) async throws -> [Stored<Good>] {
        let goods = try await catalogue.goods(priced: 100...500)
        for good in goods { example.say("  \(good.salesPrice)  \(good.costRate)  \(good.name)") }
        let names = ["Frame", "Paper", "Ink", "Brush"]
        try example.check("100 to 500 has both ends, by price and then by cost rate", goods.map(\.name) == names)
        return goods
    }

    private static func show(
        _ goods: [Stored<Good>], in catalogue: Catalogue, _ picture: SamplePicture, _ example: Example
    ) async throws {
        guard let frame = goods.first(where: { $0.image != nil }), let image = frame.image else {
            throw ExampleFailure("the frame has an image")
        }
        try example.check("an image of \(image.size) bytes is more than a record holds", image.size > 1_048_576)
        try example.check("the server has read its orientation: \(frame.orientation)", frame.orientation == 6)
        let size = (image.picture?.width, image.picture?.height)
        try example.check("and how large it is", size == (Int64(picture.width), Int64(picture.height)))
        try example.check("the image is read as it was", try await catalogue.image(of: frame) == picture.png)
        do {
            let bytes = try await catalogue.thumbnail(of: frame)?.count ?? 0
            try example.check("a thumbnail has \(bytes) bytes", bytes > 0 && bytes < image.size)
        } catch let error as FogbaseError where error.serverError?.cause == .thumbnailsUnavailable {
            example.say("  (This server makes no thumbnails.)")
        }
    }

    private static func change(
        _ goods: [Stored<Good>], in catalogue: Catalogue, _ example: Example
    ) async throws {
        guard var brush = goods.last else { throw ExampleFailure("there is a brush") }
        brush.salesPrice = 98
        try await catalogue.database.save(brush)
        let names = try await catalogue.goods(priced: 0...99).map(\.name)
        try example.check("a changed price counts at once", names == ["Pencil", "Brush"])
        do {
            _ = try await catalogue.add(Good(code: "G-1", name: "Pen", costRate: 0.5, salesPrice: 120), image: nil)
            throw ExampleFailure("a code was given twice")
        } catch FogbaseError.exists {
            example.say("  ✓ a code is given once")
        }
        try await catalogue.database.delete(Good.self, brush.id)
        try example.check("what is deleted is gone", try await catalogue.goods(priced: 0...98).isEmpty)
    }

    private static func keepOut(_ example: Example) async throws {
        do {
            let guest = Fogbase(example.server).container()
            _ = try await Catalogue(database: guest.privateDatabase).goods(priced: 0...1_000)
            throw ExampleFailure("a guest has read a private database")
        } catch FogbaseError.notAuthenticated {
            example.say("  ✓ a guest has no private database")
        }
    }
}
