#if canImport(SwiftUI)
    public import Foundation
    internal import ImageIO
    internal import PigeonBase
    public import PigeonCore
    public import SwiftUI

    /// A view that loads an image with the client of the environment, and shows it.
    ///
    /// ```swift
    /// RemoteImage(user.avatarURL, contentMode: .fill, label: Text(user.name))
    ///     .frame(width: 40, height: 40)
    ///     .clipShape(Circle())
    /// ```
    ///
    /// The view takes the space that it is offered: give it a frame, or an aspect ratio. The image is decoded in that size, and
    /// never on the main thread. Views of the same URL share its load, and views of the same size its pixels. A load is
    /// cancelled when the view leaves the screen, unless another one needs it.
    ///
    /// An image is fresh for as long as its bytes are. If it is stale when a view appears, the view shows it and loads the
    /// bytes again.
    ///
    /// Images count in the client's budget with the size of their pixels. Those on screen stay; the others go when the budget
    /// is exceeded, when memory is short, or after ``/PigeonCore/QueryOptions/keepFor``:
    ///
    /// ```swift
    /// let client = QueryClient(budget: 128 << 20)    // bytes
    /// ```
    public struct RemoteImage<Content: View, Placeholder: View, Failure: View>: View {
        private let bytes: QueryDefinition<Data>?
        private let style: PictureStyle<Content, Placeholder, Failure>

        @State private var isOffScreen = false
        @Environment(\.displayScale) private var displayScale

        /// Creates a view of the image at a URL.
        ///
        /// - Parameters:
        ///   - url: The URL. With `nil`, the placeholder is shown.
        ///   - contentMode: Fits the whole image into the view, or fills the view and cuts the image.
        ///   - label: The text that screen readers read. They skip an image without a label, as one that only decorates.
        ///   - transition: The transition of an image that was loaded while the view was on screen. An image in memory is
        ///     there at once.
        ///   - animation: The animation of the transition. `nil` for none. Nothing is animated for users who prefer less
        ///     motion.
        ///   - content: Changes the image, which is resizable.
        ///   - placeholder: The view while there is no image.
        ///   - failure: The view of an image that could not be loaded.
        public init(
            _ url: URL?, contentMode: ContentMode = .fit, label: Text? = nil, transition: AnyTransition = .opacity,
            animation: Animation? = .default,
            @ViewBuilder content: @escaping (Image) -> Content = { $0 },
            @ViewBuilder placeholder: @escaping () -> Placeholder = { Color.gray.opacity(0.2) },
            @ViewBuilder failure: @escaping (any Error, @escaping RetryAction) -> Failure = {
                ImageFailureView($0, retry: $1)
            }
        ) {
            self.init(
                url.map { .image(at: $0) }, contentMode: contentMode, label: label, transition: transition,
                animation: animation, content: content, placeholder: placeholder, failure: failure)
        }

        /// Creates a view of an image whose bytes a query loads: from a cache on disk, or with a program's own requests.
        /// The parameters are the same as those of the other initializer.
        ///
        /// ```swift
        /// RemoteImage(.image(at: url).persisted()) { $0.renderingMode(.template) }
        /// ```
        public init(
            _ definition: QueryDefinition<Data>?, contentMode: ContentMode = .fit, label: Text? = nil,
            transition: AnyTransition = .opacity, animation: Animation? = .default,
            @ViewBuilder content: @escaping (Image) -> Content = { $0 },
            @ViewBuilder placeholder: @escaping () -> Placeholder = { Color.gray.opacity(0.2) },
            @ViewBuilder failure: @escaping (any Error, @escaping RetryAction) -> Failure = {
                ImageFailureView($0, retry: $1)
            }
        ) {
            bytes = definition
            style = PictureStyle(
                contentMode: contentMode, label: label, transition: transition, animation: animation, content: content,
                placeholder: placeholder, failure: failure)
        }

        /// The image, the placeholder or the failure.
        public var body: some View {
            GeometryReader { proxy in
                PictureView(bytes: bytes, picture: picture(in: proxy.size), style: style)
                    .id(bytes?.key)  // the image of another URL is never shown for this one
                    .frame(width: proxy.size.width, height: proxy.size.height)
                    .clipped()
            }
            // Rows of lazy stacks live on when they leave the screen. SwiftUI does not tell them from views below another
            // page, so neither retain pixels. The client does, within its budget, and a view that returns has them at once.
            .onAppear { isOffScreen = false }
            .onDisappear { isOffScreen = true }
        }

        private func picture(in size: CGSize) -> QueryDefinition<Picture>? {
            guard let bytes, !isOffScreen else { return nil }
            let frame = PictureFrame(size, scale: displayScale, isFilled: style.contentMode == .fill)
            return frame.map { .picture(of: bytes, for: $0) }
        }
    }

    /// A view that reports that an image could not be loaded: a button that retries.
    public struct ImageFailureView: View {
        private let error: any Error
        private let retry: RetryAction

        /// Creates the view.
        public init(_ error: any Error, retry: @escaping RetryAction) {
            self.error = error
            self.retry = retry
        }

        /// A symbol, which screen readers read as the error's message.
        public var body: some View {
            Button(action: retry) { Image(systemName: "arrow.clockwise") }
                .accessibilityLabel("\(error.userMessage) \(UserText.retry.text)")
                .frame(maxWidth: .infinity, maxHeight: .infinity)
        }
    }

    private struct PictureStyle<Content: View, Placeholder: View, Failure: View> {
        let contentMode: ContentMode
        let label: Text?
        let transition: AnyTransition
        let animation: Animation?
        let content: (Image) -> Content
        let placeholder: () -> Placeholder
        let failure: (any Error, @escaping RetryAction) -> Failure
    }

    /// Shows a picture, as long as the view is on screen.
    private struct PictureView<Content: View, Placeholder: View, Failure: View>: View {
        @UseQuery private var picture: Snapshot<Picture>
        @Environment(\.displayScale) private var displayScale

        private let bytes: QueryDefinition<Data>?
        private let style: PictureStyle<Content, Placeholder, Failure>

        init(
            bytes: QueryDefinition<Data>?, picture: QueryDefinition<Picture>?,
            style: PictureStyle<Content, Placeholder, Failure>
        ) {
            _picture = UseQuery(picture, animation: style.animation)
            self.bytes = bytes
            self.style = style
        }

        var body: some View {
            let state = picture.viewState
            if let picture = state.content {
                style.content(image(picture.image).resizable())
                    .aspectRatio(contentMode: style.contentMode)
                    .transition(style.transition)
            } else if let error = state.error, !state.isLoading {
                style.failure(error, retry)
            } else {
                style.placeholder()
                    .accessibilityElement(children: .ignore)
                    .accessibilityLabel(style.label ?? Text(verbatim: ""))
                    .accessibilityHidden(style.label == nil)
            }
        }

        private func image(_ image: CGImage) -> Image {
            if let label = style.label { return Image(image, scale: displayScale, label: label) }
            return Image(decorative: image, scale: displayScale)
        }

        /// Loads the bytes again, because they may be the reason why there is no picture.
        private var retry: RetryAction {
            let (client, bytes) = ($picture.client, bytes)
            return {
                if let bytes { client.invalidateWithoutWaiting(.path(of: bytes)) }
            }
        }
    }
#endif
