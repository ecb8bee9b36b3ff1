// The run as a film (WebM, VP9), frame by frame and not as fast as the screen: as smooth on any machine.
import { ArrayBufferTarget, Muxer } from "webm-muxer";

/** Bytes of the film at a speed, with so many pictures a second; `told` hears the share that is done. */
export async function film(viewer, { fps = 30, speed = viewer.player.speed, from, to, told = () => {} } = {}) {
  if (!("VideoEncoder" in window)) throw new Error("this browser makes no films (WebCodecs)");
  const { run, stage, player } = viewer;
  const { canvas } = stage;
  // The codec wants even sizes.
  const [width, height] = [canvas.width & ~1, canvas.height & ~1];
  const target = new ArrayBufferTarget();
  const muxer = new Muxer({ target, video: { codec: "V_VP9", width, height, frameRate: fps } });
  let failure = null;
  const encoder = new VideoEncoder({
    output: (chunk, meta) => muxer.addVideoChunk(chunk, meta),
    error: (error) => (failure = error),
  });
  encoder.configure({ codec: "vp09.00.40.08", width, height, bitrate: 12 * width * height, framerate: fps });
  const start = Math.max(from ?? run.times[0], run.times[0]);
  const end = Math.min(to ?? player.end, player.end);
  const n = Math.max(Math.ceil(((end - start) / speed) * fps), 0) + 1;
  for (let k = 0; k < n && !failure; k++) {
    player.seekTime(Math.min(start + (k * speed) / fps, end));
    const picture = new VideoFrame(viewer.composed(), {
      timestamp: Math.round((k * 1e6) / fps), duration: Math.round(1e6 / fps), visibleRect: { x: 0, y: 0, width, height },
    });
    encoder.encode(picture, { keyFrame: k % (2 * fps) === 0 });
    picture.close();
    if (encoder.encodeQueueSize > 8) await new Promise((done) => (encoder.ondequeue = done));
    told((k + 1) / n);
  }
  await encoder.flush();
  if (failure) throw failure;
  muxer.finalize();
  return { bytes: new Uint8Array(target.buffer), frames: n };
}
