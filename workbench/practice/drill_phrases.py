"""The sentences of the drills in English and Chinese."""

from __future__ import annotations

DRILL_PHRASES: dict[str, tuple[str, str]] = {
    "drill.list": (
        ("These drills can be asked for, each as “Drill: name”:\n\n"
        "| drill | what goes wrong |\n|---|---|\n"
        "| rate limit | the first try is refused with status 429 and Retry-After |\n"
        "| overloaded | the first try is refused with status 503 |\n"
        "| cut stream | the connection breaks in the middle of the text |\n"
        "| cut call | the connection breaks in the middle of a call's arguments |\n"
        "| broken arguments | a call whose arguments are not JSON |\n"
        "| unknown tool | a call to a tool that does not exist |\n"
        "| broken history | a call under a name that providers refuse, so that the next request is held back |\n"
        "| endless loop | the same call again and again, until a limit or you end it |\n"
        "| slow first token | silence before the first word; say how long, for example “10 s” |\n"
        "| error in the stream | an error in the middle of an answer with status 200 |"),
        ("可以要求这些演练，说法是“演练：名称”：\n\n"
        "| 演练 | 出什么问题 |\n|---|---|\n"
        "| 限流 | 第一次尝试被拒绝：状态码 429，带 Retry-After |\n"
        "| 过载 | 第一次尝试被拒绝：状态码 503 |\n"
        "| 断流 | 连接在正文中间断开 |\n"
        "| 参数中断 | 连接在调用的参数中间断开 |\n"
        "| 坏参数 | 一个参数不是 JSON 的调用 |\n"
        "| 未知工具 | 调用一个不存在的工具 |\n"
        "| 坏历史 | 用服务商不接受的名字发起调用，于是下一个请求会被拦下 |\n"
        "| 死循环 | 反复发同样的调用，直到达到上限或你来停止 |\n"
        "| 慢首字 | 第一个字之前沉默；可以说多久，例如“10 秒” |\n"
        "| 流内错误 | 状态码 200，回答到一半出错 |"),
    ),
    "drill.thought": ("A drill was asked for: {name}.", "要求做演练：{name}。"),
    "drill.name.rate_limit": ("rate limit", "限流"),
    "drill.name.overloaded": ("overloaded", "过载"),
    "drill.name.cut_stream": ("cut stream", "断流"),
    "drill.name.cut_call": ("cut call", "参数中断"),
    "drill.name.broken_arguments": ("broken arguments", "坏参数"),
    "drill.name.unknown_tool": ("unknown tool", "未知工具"),
    "drill.name.broken_history": ("broken history", "坏历史"),
    "drill.name.endless_loop": ("endless loop", "死循环"),
    "drill.name.slow_first_token": ("slow first token", "慢首字"),
    "drill.name.error_inside": ("error in the stream", "流内错误"),
    "drill.name.unknown": ("unknown", "未知"),
    "drill.refused": (
        ("This is the answer to the second try. The first was refused with status {status}{wait}; the same request came again, byte for byte, and went "
        "through. Requests shows both."),
        "这是对第二次尝试的回答。第一次被拒绝，状态码 {status}{wait}；同样的请求一字不差地再次到来，这次通过了。“请求”里两次都能看到。",
    ),
    "drill.refused_wait": (" and the advice to wait {delay} s", "，并建议等待 {delay} 秒"),
    "drill.text": (
        ("This text is long enough to be cut. A stream can break at any moment: a cable, a proxy, a server that restarts. What came until then is kept and "
        "marked as incomplete; nothing is tried again by itself once words were shown, for the second answer could be another one. If you read this to its "
        "end, you have asked a second time, and a second time is answered whole."),
        ("这段文字够长，可以被切断。流随时可能中断：网线、代理、重启的服务器。到那时为止收到的内容会保留，并标记为不完整；只要已经显示过文字，就不会自动重试，"
        "因为第二次的回答可能不一样。如果你能读到结尾，说明这是第二次请求，而第二次会完整地回答。"),
    ),
    "drill.call_text": ("I call a tool, and the connection breaks while its arguments are on the way:", "我来调用一个工具，而连接会在参数传到一半时断开："),
    "drill.call_again": (
        "The call was cut and not run. The answer was: “{what}” I send it again:",
        "调用被切断，没有运行。得到的回答是：“{what}”。我再发一次：",
    ),
    "drill.call_done": (
        "The call came through whole, and its result is here. A call that was cut is never run.",
        "调用完整到达，结果也回来了。被切断的调用绝不会运行。",
    ),
    "drill.broken": ("Here is a call whose arguments are not JSON:", "下面这个调用的参数不是 JSON："),
    "drill.broken_again": (
        "The call was not run. The answer was: “{what}” I send it again, in order this time:",
        "调用没有运行。得到的回答是：“{what}”。我再发一次，这次是正确的：",
    ),
    "drill.broken_done": ("The second call worked. Broken arguments were answered, not guessed at.", "第二次调用成功了。坏参数得到的是回答，而不是猜测。"),
    "drill.unknown": ("Here is a call to a tool that nobody offered:", "下面调用一个没有人提供的工具："),
    "drill.unknown_done": (
        "The answer to the call was: “{what}” So every call has its result, also one that could not run.",
        "对调用的回答是：“{what}”。所以每个调用都有结果，不能运行的也一样。",
    ),
    "drill.unknown_ran": ("Something answered to the name `{tool}`: “{what}”", "居然有东西回应了 `{tool}` 这个名字：“{what}”"),
    "drill.history": (
        ("Here is a call under the name `{tool}`. Providers refuse such a name once it stands in the history, so the next request would fail: it is held "
        "back, and you can repair it, send it as it is, or end the turn."),
        "下面用 `{tool}` 这个名字发起调用。历史里一旦有这样的名字，服务商就会拒绝，所以下一个请求会失败：它会被拦下，你可以修复它、原样发送，或结束这一轮。",
    ),
    "drill.history_repaired": (
        "The request came through: the call now stands in the history as `{tool}`. The first version would have been refused, again and again.",
        "请求通过了：历史里的调用现在名叫 `{tool}`。原来的版本会被一再拒绝。",
    ),
    "drill.history_as_it_was": (
        "The request came as it was, with `{tool}` in it, and this server saw only text. A model would go on using that name.",
        "请求原样到达，里面还是 `{tool}`，而服务器看到的只是文本。真正的模型会继续用这个名字。",
    ),
    "drill.history_none": (
        ("Ollama checks neither the names nor the ids of a history: nothing that a model can say makes the next request one that it refuses. Ask for this "
        "drill in another dialect."),
        "Ollama 既不检查历史里的名字，也不检查编号：模型说什么都不会让下一个请求被拒绝。请换一种方言再做这个演练。",
    ),
    "drill.loop": ("Round {count}: the same call again.", "第 {count} 轮：还是同样的调用。"),
    "drill.loop_end": ("The loop was broken: {why}", "循环被打断了：{why}"),
    "drill.slow": (
        "I was silent for {delay} s before this first word. The connection stayed open, and Stop would have ended the wait at once.",
        "在说出第一个字之前，我沉默了 {delay} 秒。连接一直开着，按“停止”可以立刻结束等待。",
    ),
    "drill.failed": (
        ("These words come before an error. The status was 200 long ago, so the error can only stand inside the stream, and what was shown until then stays. "
        "If you read this to its end, you have asked a second time."),
        "这些话之后会出错。状态码 200 早已发出，所以错误只能出现在流里，到那时为止显示的内容会保留。如果你能读到结尾，说明这是第二次请求。",
    ),
    "drill.rate_message": ("Rate limit reached for practice on requests per min (RPM): Limit 1, Used 1, Requested 1. Please try again in {delay}s.",) * 2,
    "drill.overloaded_message": ("The engine is currently overloaded, please try again later.",) * 2,
    "drill.inside_message": ("The server had an error while processing your request. Sorry about that!",) * 2,
}
